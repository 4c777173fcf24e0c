#!/usr/bin/env python
"""The command `chainbox` of a checkout: `python manage.py help` lists the commands."""

from chainbox.launcher import main

if __name__ == "__main__":
    main()
