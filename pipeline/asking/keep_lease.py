"""Keep a lease alive while its worker is at work, and store the draft of the answers."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from pipeline.asking.admission import HAS_ACCESS, NOBODY_TO_CHECK, Guard
from pipeline.errors import NoAccessError, NoSuchAssignmentError, NotYoursError, SignedOutError
from pipeline.models import Assignment
from pipeline.project.settings_versions import read_version
from runtime import clock

LEAST_GAIN = 0.05
"""A lease is extended only if it gains this share of its length: writing its end costs more than writing a draft."""
TOKEN, DRAFT, MOMENT = (Assignment._meta.get_field(name) for name in ("token", "draft", "expires_at"))

# Written by hand: pages save drafts more often than they do anything else, and building statements anew each time takes
# longer than running them.
COLUMNS = """
    worker_id, state, created_at, expires_at,
    (SELECT CAST(version."values" AS text) FROM pipeline_settingsversion version
        WHERE version.project_id = pipeline_assignment.project_id ORDER BY version.version DESC LIMIT 1)
"""
SAVE = f"""
    UPDATE pipeline_assignment SET draft = %s
    WHERE token = %s AND worker_id = %s AND state IN ('active', 'expired') AND (draft IS NULL OR draft <> %s)
        AND {HAS_ACCESS} AND {{guard}}
    RETURNING {COLUMNS}
"""
READ = f"SELECT {COLUMNS}, {HAS_ACCESS}, ({{guard}}) FROM pipeline_assignment WHERE token = %s"
EXTEND = """
    UPDATE pipeline_assignment SET expires_at = %s
    WHERE token = %s AND state = 'active' AND expires_at > %s AND expires_at < %s
"""


class KeptLease(NamedTuple):
    """A lease as a page needs to know of it. `Assignment` has the same fields."""

    state: str
    expires_at: datetime
    renews: bool = False
    """The assignment is with its worker, so the page gets a fresh token."""


class _Row(NamedTuple):
    """The COLUMNS of an assignment."""

    worker: int
    state: str
    created_at: datetime
    expires_at: datetime
    settings: str
    has_access: bool = True
    signed_in: bool = True


def keep_lease(
    *,
    token: UUID,
    worker_id: int,
    draft: Any = None,
    guard: Guard = NOBODY_TO_CHECK,
    now: datetime | None = None,
) -> KeptLease:
    """Extend a running lease, up to the setting, and store the draft; None leaves the draft as it was.

    A draft is stored even if the lease has run out. A new draft takes one statement; an unchanged one is not written.
    A lease that would gain less than LEAST_GAIN of its length stays as it is. Every statement stands alone and looks at
    the state, the access and the guard itself, so no lock is needed: after a concurrent submission nothing is written.
    Raises NoSuchAssignmentError, NotYoursError if another worker holds the assignment, SignedOutError if the guard does
    not hold, and NoAccessError if the worker's access was taken away.
    """
    now = now or clock.now()
    row = (draft is not None and _save(token, worker_id, draft, guard)) or _read(token, worker_id, guard)
    renews = row.state == Assignment.State.ACTIVE and row.expires_at > now
    longer = _longer(row, now)
    if longer is None:
        return KeptLease(row.state, row.expires_at, renews)
    until = _written(MOMENT, longer)
    with connection.cursor() as cursor:
        cursor.execute(EXTEND, [until, _written(TOKEN, token), _written(MOMENT, now), until])
        return KeptLease(row.state, longer if cursor.rowcount else row.expires_at, renews)


def _save(token: UUID, worker_id: int, draft: Any, guard: Guard) -> _Row | None:
    """Store a new draft. Returns None if it is stored already, or the worker may not store one here."""
    written = _written(DRAFT, draft)
    statement = SAVE.format(guard=guard.condition)
    return _run(statement, written, _written(TOKEN, token), worker_id, written, *guard.values)


def _read(token: UUID, worker_id: int, guard: Guard) -> _Row:
    row = _run(READ.format(guard=guard.condition), *guard.values, _written(TOKEN, token))
    if row is None:
        raise NoSuchAssignmentError
    if row.worker != worker_id:
        raise NotYoursError
    if not row.signed_in:
        raise SignedOutError
    if not row.has_access and row.state != Assignment.State.SUBMITTED:
        raise NoAccessError
    return row


def _longer(row: _Row, now: datetime) -> datetime | None:
    """Return when the lease may end from now on, or None if it stays as it is."""
    if row.state != Assignment.State.ACTIVE or row.expires_at <= now:
        return None
    settings = read_version(row.settings)
    most = row.created_at + timedelta(minutes=settings.lease_most_minutes)
    longer = min(now + timedelta(minutes=settings.lease_minutes), most)
    gain = longer - row.expires_at
    enough = timedelta(minutes=settings.lease_minutes * LEAST_GAIN)
    return longer if gain >= enough or (longer == most and gain > timedelta(0)) else None


def _run(statement: str, *values: Any) -> _Row | None:
    """Run a statement that returns COLUMNS. Returns the row, or None."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows = cursor.fetchall()  # on SQLite a write ends when its last row was fetched
    if not rows:
        return None
    worker, state, created_at, expires_at, settings, *checks = rows[0]
    return _Row(worker, state, clock.as_moment(created_at), clock.as_moment(expires_at), settings, *checks)


def _written(field: Any, value: Any) -> Any:
    """Return the value as this database stores it."""
    return field.get_db_prep_save(value, connection)
