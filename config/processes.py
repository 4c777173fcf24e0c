"""Processes that stay: what they have loaded is no garbage, and none outlives the one that started it.

As a file of settings of gunicorn this ends web processes at once when their master is killed, and frees the port.
Gunicorn's own check ends them only after requests that hang, and until then a restarted service finds the port taken.
"""

import ctypes
import gc
import os
import signal
import sys
from typing import Any

NEW_OBJECTS = 20_000
"""New objects between two collections. Python's own 700 costs several for each request, and a third of an export."""


def keep_what_is_loaded() -> None:
    """Let the collector pass over all that there is: searching it takes time, and copies memory that processes share.

    It may be called again when more is loaded.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15


def post_fork(server: Any, worker: Any) -> None:
    """Let this process of gunicorn end with its master."""
    die_with(server.pid)


def die_with(parent: int) -> None:
    """Ask Linux to kill this process when its parent ends. Answers are stored in transactions: none is lost."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)


def call_itself(name: str) -> None:
    """Give this process a name that tools like `top` show, of at most 15 letters."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
