"""Runs a step: `python -m evaluation SYSTEM STEP --data EXPORT --out DIR`; without arguments, lists them."""

import sys

from evaluation.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
