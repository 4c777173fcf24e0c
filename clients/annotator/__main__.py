"""Runs a command: `python -m clients.annotator try|answer|propose|prompts`; `--help` lists the options."""

import sys

from clients.annotator.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
