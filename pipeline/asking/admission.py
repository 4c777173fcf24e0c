"""Whether a worker is admitted to a task, and everything else that a lease has to know first, in one statement."""

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from pipeline.errors import NoAccessError
from pipeline.rules.tasks.task import Task
from workers.rules.trust_states import Trust, TrustState

# By hand: every lease begins with it, and having it built anew each time takes longer than running it.
STATEMENT = """
    SELECT access.project_id, worker.kind,
        (SELECT CAST(version."values" AS text) FROM pipeline_settingsversion version
            WHERE version.project_id = access.project_id ORDER BY version.version DESC LIMIT 1),
        (SELECT held.id FROM pipeline_assignment held
            WHERE held.worker_id = access.worker_id AND held.project_id = access.project_id
                AND held.task = access.task AND held.state IN ('active', 'expired') AND held.expires_at > %s
            ORDER BY held.id DESC LIMIT 1),
        (SELECT CAST(COUNT(*) AS text) || ' ' || CAST(COALESCE(MAX(stock.id), 0) AS text)
            FROM pipeline_knownquestion stock
            WHERE stock.project_id = access.project_id AND stock.task = access.task AND stock.retired_at IS NULL),
        CAST(trust.seen AS text), CAST(trust.images AS text),
        trust.asked, trust.verified, trust.rounds,
        trust.state, trust.passed_test, trust.tests_failed, trust.test_from,
        trust.had_second_probation, trust.probation_since, trust.trusted_since, trust.score_since,
        trust.resumes, trust.suspended_until, trust.appealed
    FROM workers_access access
    JOIN annotation_project project ON project.id = access.project_id
    JOIN workers_worker worker ON worker.id = access.worker_id
    LEFT JOIN auth_user account ON account.id = worker.user_id
    LEFT JOIN workers_truststatus trust ON trust.worker_id = access.worker_id
        AND trust.project_id = access.project_id AND trust.task = access.task
    WHERE access.worker_id = %s AND access.task = %s AND account.is_active IS NOT FALSE AND {project} = %s
"""


class TaskHistory(NamedTuple):
    """Where a worker stands on a task, and what they were shown of it."""

    trust: Trust
    seen: list[int]
    """Verification questions, by id."""
    images: list[int]
    """The last ones, by id."""
    asked: int
    verified: int
    rounds: int


class Admission(NamedTuple):
    project_id: int
    kind: str
    """Of the worker."""
    settings: str
    """The project's newest, as text."""
    held: int | None
    """An assignment of theirs that runs, or ran out after `since`."""
    stock: str
    """The stamp of the task's stock: how many verification questions there are, and the newest one."""
    footing: TaskHistory | None
    """None: trusted by hand, by having been given access."""


def find_admission(project: int | str, worker_id: int, task: Task, since: datetime) -> Admission:
    """`project`: id or name. NoAccessError: not admitted, the account is closed, or there is no such project."""
    statement = STATEMENT.format(project="project.name" if isinstance(project, str) else "project.id")
    with connection.cursor() as cursor:
        moment = connection.ops.adapt_datetimefield_value(since)
        cursor.execute(statement, [moment, worker_id, task.value, project])
        row = cursor.fetchone()
    if row is None:
        raise NoAccessError
    project_id, kind, settings, held, stock, *footing = row
    return Admission(project_id, kind, settings, held, stock, _footing(*footing))


def _footing(
    seen: str | None, images: str, asked: int, verified: int, rounds: int, *columns: Any
) -> TaskHistory | None:
    if seen is None:
        return None
    return TaskHistory(_standing(*columns), json.loads(seen), json.loads(images), asked, verified, rounds)


def _standing(
    state: str,
    passed_test: bool,
    tests_failed: int,
    test_from: datetime | None,
    had_second_probation: bool,
    probation_since: datetime | None,
    trusted_since: datetime | None,
    score_since: datetime | None,
    resumes: str,
    suspended_until: datetime | None,
    appealed: bool,
) -> Trust:
    return Trust(
        TrustState(state),
        bool(passed_test),
        tests_failed,
        _as_moment(test_from),
        bool(had_second_probation),
        _as_moment(probation_since),
        _as_moment(trusted_since),
        _as_moment(score_since),
        TrustState(resumes) if resumes else None,
        _as_moment(suspended_until),
        bool(appealed),
    )


def _as_moment(value: datetime | None) -> datetime | None:
    """SQLite's driver gives moments without their zone."""
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value
