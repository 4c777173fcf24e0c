"""Causes of failures: the answer to a request and the line in the log when a part of the service fails."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, ProgrammingError
from django.utils.translation import gettext_noop
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from runtime.disk_errors import DEVICE, FULL, FilesError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of the service that fails, in words for workers and requesters, to be translated where they are shown."""

    code: str
    message: str
    retry_seconds: int


BUSY = Fault("busy", gettext_noop("The service is busy. Nothing is lost; try again in a moment."), 1)
DISK_FULL = Fault(
    "disk_full",
    gettext_noop(
        "The disk of the service is full, so this was not stored. What was stored before is kept. "
        "Tell the requester, and try again later."
    ),
    60,
)
NO_DATABASE = Fault(
    "no_database",
    gettext_noop(
        "The database of the service does not answer, so this was not stored. What was stored before is kept. "
        "Try again in a minute."
    ),
    10,
)
BAD_DATABASE = Fault(
    "bad_database",
    gettext_noop("The database of the service cannot be read or written. Tell the requester, and try again later."),
    60,
)
NO_FILES = Fault("no_files", gettext_noop("The files cannot be reached right now. Try again in a minute."), 30)
NO_QUEUE = Fault("no_queue", gettext_noop("The queue of jobs (Redis) does not answer. Try again in a minute."), 10)

# SQLite's names of errors, without what follows a second underscore.
SQLITE = {
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_FULL": DISK_FULL,
    **dict.fromkeys(
        ("SQLITE_CANTOPEN", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_NOTADB", "SQLITE_PERM", "SQLITE_READONLY"),
        BAD_DATABASE,
    ),
}
# PostgreSQL's codes of errors, or their first two characters.
POSTGRESQL = {
    "40001": BUSY,  # transactions that cannot be put in an order
    "40P01": BUSY,  # a deadlock
    "55P03": BUSY,  # a lock that was not given in time
    "57014": BUSY,  # a statement that took too long
    "53100": DISK_FULL,
    "25006": BAD_DATABASE,  # only reading is allowed
    "58": BAD_DATABASE,  # the disk or its files
    "XX": BAD_DATABASE,  # damaged rows or an error of PostgreSQL
    "08": NO_DATABASE,  # a connection that broke
    "53": NO_DATABASE,  # out of memory or connections
    "57": NO_DATABASE,  # the server stops or starts
}


def fault_of(error: BaseException) -> Fault | None:
    """Return the part of the service whose failure the error shows; None if the error is a mistake of the program."""
    chain = list(_causes(error))
    if any(isinstance(error, OSError) and error.errno in FULL for error in chain):
        return DISK_FULL
    return next((fault for fault in map(_fault_of_one, chain) if fault), None)


def log_fault(where: str, fault: Fault, error: BaseException) -> None:
    """Write one line with the place, the error's own words and the fault. A busy moment is only a warning."""
    words = " ".join(str(error).split()) or type(error).__name__
    logger.log(logging.WARNING if fault is BUSY else logging.ERROR, "%s: %s [%s]", where, words, fault.code)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _fault_of_one(error: BaseException) -> Fault | None:
    if isinstance(error, InterfaceError):
        return NO_DATABASE
    if isinstance(error, DatabaseError):
        return _fault_of_database(error)
    if isinstance(error, FilesError) or (isinstance(error, OSError) and error.errno in DEVICE):
        return NO_FILES
    return NO_QUEUE if isinstance(error, RedisError | BrokerError) else None


def _fault_of_database(error: DatabaseError) -> Fault | None:
    """Return the fault by the driver's code. PostgreSQL's driver has none if no server answered."""
    if isinstance(error, IntegrityError | DataError | ProgrammingError):
        return None
    driver = error.__cause__
    name = getattr(driver, "sqlite_errorname", None)
    if name is not None:
        return SQLITE.get("_".join(name.split("_")[:2]))
    if "No space left on device" in str(error):
        return DISK_FULL
    if "database is locked" in str(error):
        return BUSY
    code = getattr(driver, "pgcode", None)
    return NO_DATABASE if code is None else POSTGRESQL.get(code) or POSTGRESQL.get(code[:2])
