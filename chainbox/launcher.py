"""The command line: `chainbox COMMAND` from a wheel, `python manage.py COMMAND` from a checkout."""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from chainbox import __version__

PROGRAMS = {"annotator": "clients.annotator.command_line", "evaluation": "evaluation.command_line"}
"""Commands that need no Django, and the module whose `main` runs each."""


def main() -> None:
    """Run the command that the arguments name."""
    # In a wheel the apps lie beside this file, so that none of their names stands at the top of site-packages.
    here = Path(__file__).resolve().parent
    root = here if (here / "config").is_dir() else here.parent
    sys.path.insert(0, str(root))
    name = next(iter(sys.argv[1:]), "")
    if name == "--version":
        print(f"chainbox {__version__}")
    elif name in PROGRAMS:
        program: Callable[[Sequence[str]], int] = import_module(PROGRAMS[name]).main
        sys.exit(program(sys.argv[2:]))
    else:
        _run_django(sys.argv)


def _run_django(arguments: Sequence[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # What the imports make stays: to search it for garbage would take a third of the start. `run` ends this.
    gc.disable()
    from config.start import run

    run(arguments)
