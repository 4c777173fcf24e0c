"""No orphans: processes end at once when the one that started them is killed, and free the port.

As a file of settings of gunicorn this does it for web processes. Gunicorn's own check ends them only after requests
that hang, and until then a restarted service finds the port taken.
"""

import ctypes
import os
import signal
import sys
from typing import Any

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
