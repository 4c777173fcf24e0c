#!/usr/bin/env python
"""Django's command line: `python manage.py help` lists the commands."""

import os
import sys

from config.start import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    run(sys.argv)
