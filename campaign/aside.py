"""Work on a thread of its own, where jobs run in place: nobody's request waits for long work."""

import logging
import threading
from collections.abc import Callable

from django.db import connections

logger = logging.getLogger(__name__)


def aside(work: Callable[[], None]) -> None:
    """Do the work on a thread of its own. If the process ends, the sweep finds the work and begins it again."""
    threading.Thread(target=_guarded, args=(work,), name="long work", daemon=True).start()


def _guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:
        logger.exception("Long work failed; its page says so, and it can be begun again there.")
    finally:
        connections.close_all()
