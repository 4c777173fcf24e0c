"""Code that may end in a kill, in a process of its own."""

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

from django.db import connection

from tests.support.services import wait_until


def is_killed(body: Callable[[], Any]) -> bool:
    """Run the body in a child of this process, and return whether it was killed. It sees rows that are committed."""
    connection.close()
    child = os.fork()
    if child == 0:
        try:
            body()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), "the process failed"
    assert wait_until(_are_its_locks_gone)
    return os.WIFSIGNALED(status)


def _are_its_locks_gone() -> bool:
    """Tell whether PostgreSQL has noticed that the process is gone. Until then its rows stay locked."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        cursor.execute(others)
        return cursor.fetchone() == (0,)
