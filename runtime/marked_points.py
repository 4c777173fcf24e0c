"""Marked points: places at which the fault campaign ends a process, to show that nothing depends on luck.

Outside a campaign (`python -m studies fault_campaign`) reaching a point does nothing.
"""

import os
import signal
from pathlib import Path

from django.conf import settings

POINTS = (
    "lease: questions lent",
    "lease: committed",
    "submit: answers stored",
    "submit: committed",
    "fold: entries written",
    "fold: rows written",
    "fold: committed",
    "merge: committed",
    "import: picture stored",
    "import: image half written",
    "import: image committed",
    "export: picture written",
    "export: half written",
    "export: written",
)


def reach(point: str) -> None:
    """End this process at once if the campaign asks for it by a file with the name of the point."""
    if settings.FAULTS is not None:
        _end_if_requested(settings.FAULTS / point)


def _end_if_requested(file: Path) -> None:
    try:
        file.unlink()  # only one process finds the file
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
