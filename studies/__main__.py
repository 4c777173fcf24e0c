"""Runs a study or a benchmark: `python -m studies COMMAND`; without a command, lists them."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "studies.settings"
    execute_from_command_line(["python -m studies", *sys.argv[1:]])
