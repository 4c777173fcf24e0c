"""Runs a study or a benchmark: `python -m studies COMMAND`; without a command, lists them."""

import os
import sys

from config.start import run

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "studies.settings"
    run(["python -m studies", *sys.argv[1:]])
