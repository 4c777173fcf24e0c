"""Gunicorn's settings against orphans: its processes end at once when their master is killed, and free the port.

Gunicorn's own check ends them only after requests that hang, and until then a restarted service finds the port taken.
"""

import ctypes
import os
import signal
import sys
from typing import Any

PR_SET_PDEATHSIG = 1


def post_fork(server: Any, worker: Any) -> None:
    """Ask Linux to kill this process when its master ends. Answers are stored in transactions: none is lost."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != server.pid:  # the master ended before the call
            os._exit(1)
