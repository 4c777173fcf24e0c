#!/usr/bin/env python
"""Django's command line: `python manage.py help` lists the commands."""

import gc
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # What the imports make stays: to search it for garbage would take a third of the start. `run` ends this.
    gc.disable()
    from config.start import run

    run(sys.argv)
