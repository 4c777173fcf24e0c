"""Whether a worker is admitted to a task, and everything else that a lease has to know first, in one statement."""

from datetime import UTC, datetime
from typing import NamedTuple

from django.db import connection

from pipeline.errors import NoAccessError, NotTrustedError
from pipeline.rules.task import Task
from workers.rules.trust_states import Standing, State
from workers.rules.work import why_not

# By hand: every lease begins with it, and having it built anew each time takes longer than running it.
STATEMENT = """
    SELECT access.project_id, worker.kind,
        (SELECT CAST(version."values" AS text) FROM pipeline_settingsversion version
            WHERE version.project_id = access.project_id ORDER BY version.version DESC LIMIT 1),
        (SELECT held.id FROM pipeline_assignment held
            WHERE held.worker_id = access.worker_id AND held.project_id = access.project_id
                AND held.task = access.task AND held.state IN ('active', 'expired') AND held.expires_at > %s
            ORDER BY held.id DESC LIMIT 1),
        standing.state, standing.resumes, standing.suspended_until
    FROM workers_access access
    JOIN annotation_project project ON project.id = access.project_id
    JOIN workers_worker worker ON worker.id = access.worker_id
    LEFT JOIN auth_user account ON account.id = worker.user_id
    LEFT JOIN workers_standing standing ON standing.worker_id = access.worker_id
        AND standing.project_id = access.project_id AND standing.task = access.task
    WHERE access.worker_id = %s AND access.task = %s AND account.is_active IS NOT FALSE AND {project} = %s
"""


class Admission(NamedTuple):
    project_id: int
    kind: str
    """Of the worker."""
    settings: str
    """The project's newest, as text."""
    held: int | None
    """An assignment of theirs that runs, or ran out after `since`."""


def find_admission(project: int | str, worker_id: int, task: Task, since: datetime, now: datetime) -> Admission:
    """`project`: id or name. NoAccessError: not admitted, the account is closed, or there is no such project;
    NotTrustedError: suspended or barred, in words for the worker.
    """
    statement = STATEMENT.format(project="project.name" if isinstance(project, str) else "project.id")
    with connection.cursor() as cursor:
        moment = connection.ops.adapt_datetimefield_value(since)
        cursor.execute(statement, [moment, worker_id, task.value, project])
        row = cursor.fetchone()
    if row is None:
        raise NoAccessError
    *admission, state, resumes, suspended_until = row
    if state not in (None, State.TRUSTED):
        until = _as_moment(suspended_until)
        standing = Standing(State(state), resumes=State(resumes) if resumes else None, suspended_until=until)
        if why := why_not(standing, now):
            raise NotTrustedError(why)
    return Admission(*admission)


def _as_moment(value: datetime | None) -> datetime | None:
    """SQLite's driver gives moments without their zone."""
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value
