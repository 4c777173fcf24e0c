"""Admission to a task: whether a worker may ask for it, and all else that a lease needs to know, in one statement."""

import json
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from annotation.rules.states import ProjectState
from pipeline.errors import NoAccessError, SignedOutError
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from runtime.clock import as_moment
from workers.rules.trust_states import Trust, TrustState

HAS_ACCESS = """EXISTS (
    SELECT 1 FROM workers_access access WHERE access.worker_id = pipeline_assignment.worker_id
        AND access.project_id = pipeline_assignment.project_id AND access.task = pipeline_assignment.task
)"""
"""A condition on a row of pipeline_assignment: its worker has access to its task."""


class Guard(NamedTuple):
    """A condition in SQL that holds while the caller is signed in, and the values of its parameters."""

    condition: str = "1 = 1"
    values: tuple[Any, ...] = ()

    def holds(self) -> bool:
        """Ask the database, in a statement of its own."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT 1 WHERE {self.condition}", self.values)
            return cursor.fetchone() is not None

    def columns(self) -> dict[str, RawSQL]:
        """Return the annotations `signed_in` and `has_access` for a query of assignments."""
        return {
            "signed_in": RawSQL(f"({self.condition})", self.values, output_field=BooleanField()),
            "has_access": RawSQL(HAS_ACCESS, (), output_field=BooleanField()),
        }


NOBODY_TO_CHECK = Guard()


def refuse_stranger(assignment: Assignment) -> None:
    """Raise SignedOutError or NoAccessError by the annotations of `Guard.columns`.

    A submitted assignment needs no access any more: its answers are stored, and its receipt is read again.
    """
    if not assignment.signed_in:  # type: ignore[attr-defined]
        raise SignedOutError
    submitted = assignment.state == Assignment.State.SUBMITTED
    if not (submitted or assignment.has_access):  # type: ignore[attr-defined]
        raise NoAccessError


# Written by hand: every lease begins with it, and building it anew each time takes longer than running it.
STATEMENT = """
    SELECT access.project_id, project.state, worker.kind,
        (SELECT CAST(version."values" AS text) FROM pipeline_settingsversion version
            WHERE version.project_id = access.project_id ORDER BY version.version DESC LIMIT 1),
        (SELECT held.id FROM pipeline_assignment held
            WHERE held.worker_id = access.worker_id AND held.project_id = access.project_id
                AND held.task = access.task AND held.state IN ('active', 'expired')
                AND held.taken_back IS NOT TRUE
                AND (held.expires_at > %s OR held.taken_back IS FALSE OR held.ahead AND held.state = 'active')
            ORDER BY held.ahead, held.id DESC LIMIT 1),
        (SELECT CAST(COUNT(*) AS text) || ' ' || CAST(COALESCE(MAX(stock.id), 0) AS text)
            FROM pipeline_knownquestion stock
            WHERE stock.project_id = access.project_id AND stock.task = access.task AND stock.retired_at IS NULL),
        CAST(trust.seen AS text), CAST(trust.images AS text),
        trust.asked, trust.verified, trust.rounds, trust.left_assignment,
        trust.state, trust.passed_test, trust.tests_failed, trust.test_from,
        trust.had_second_probation, trust.probation_since, trust.trusted_since, trust.score_since,
        trust.resumes, trust.suspended_until, trust.appealed, ({guard})
    FROM workers_access access
    JOIN annotation_project project ON project.id = access.project_id
    JOIN workers_worker worker ON worker.id = access.worker_id
    LEFT JOIN auth_user account ON account.id = worker.user_id
    LEFT JOIN workers_truststatus trust ON trust.worker_id = access.worker_id
        AND trust.project_id = access.project_id AND trust.task = access.task
    WHERE access.worker_id = %s AND access.task = %s AND account.is_active IS NOT FALSE AND {project} = %s
"""


class AdmissionRow(NamedTuple):
    """The columns of the statement. From `seen` on they are None if the worker has no trust status."""

    project_id: int
    project_state: str
    kind: str
    settings: str
    running_assignment: int | None
    stamp: str
    seen: str | None
    images: str
    questions_so_far: int
    verified: int
    rounds: int
    left_assignment: int | None
    state: str
    passed_test: bool
    tests_failed: int
    test_from: datetime | None
    had_second_probation: bool
    probation_since: datetime | None
    trusted_since: datetime | None
    score_since: datetime | None
    resumes: str
    suspended_until: datetime | None
    appealed: bool
    signed_in: bool


class TaskHistory(NamedTuple):
    """A worker's trust on a task, and the verification questions that they were shown of it."""

    trust: Trust
    seen: list[int]
    """Ids of verification questions."""
    images: list[int]
    """Ids of the last images."""
    questions_so_far: int
    """Questions since the present share of verification questions applies ..."""
    verified: int
    """... and the verification questions among them."""
    rounds: int
    """The number of times that count started anew."""
    left_assignment: int | None = None
    """Id of the last assignment, if it ended without answers."""


class Admission(NamedTuple):
    """The facts that a lease needs about the worker, the project and the task."""

    worker_id: int
    task: Task
    project_id: int
    project_state: ProjectState
    kind: str
    """The worker's, of `Worker.Kind`."""
    settings: str
    """The project's newest settings, as text."""
    running_assignment: int | None
    """Id of an assignment of the worker's that is running, or ran out and was not taken back; else of one leased ahead.

    Of assignments that ended before it was noted whether they were taken back, only those that ran out after `since`.
    """
    stamp: str
    """The stamp of the task's stock: the number of verification questions, and the newest one's id."""
    history: TaskHistory | None
    """None: the worker is trusted by hand, by having been given access."""


def find_admission(
    project: int | str, worker_id: int, task: Task, since: datetime, guard: Guard = NOBODY_TO_CHECK
) -> Admission:
    """Read a worker's admission to a task. `project`: its id or its name.

    Raises SignedOutError if the guard does not hold, and NoAccessError if the worker has no access, the account is
    closed, or there is no such project.
    """
    statement = STATEMENT.format(
        guard=guard.condition, project="project.name" if isinstance(project, str) else "project.id"
    )
    with connection.cursor() as cursor:
        moment = connection.ops.adapt_datetimefield_value(since)
        cursor.execute(statement, [moment, *guard.values, worker_id, task.value, project])
        found = cursor.fetchone()
    if found is None:
        raise NoAccessError
    row = AdmissionRow(*found)
    if not row.signed_in:
        raise SignedOutError
    return Admission(
        worker_id=worker_id,
        task=task,
        project_id=row.project_id,
        project_state=ProjectState(row.project_state),
        kind=row.kind,
        settings=row.settings,
        running_assignment=row.running_assignment,
        stamp=row.stamp,
        history=_history(row),
    )


def _history(row: AdmissionRow) -> TaskHistory | None:
    if row.seen is None:
        return None
    seen, images = json.loads(row.seen), json.loads(row.images)
    return TaskHistory(_trust(row), seen, images, row.questions_so_far, row.verified, row.rounds, row.left_assignment)


def _trust(row: AdmissionRow) -> Trust:
    return Trust(
        state=TrustState(row.state),
        passed_test=bool(row.passed_test),
        tests_failed=row.tests_failed,
        test_from=row.test_from and as_moment(row.test_from),
        had_second_probation=bool(row.had_second_probation),
        probation_since=row.probation_since and as_moment(row.probation_since),
        trusted_since=row.trusted_since and as_moment(row.trusted_since),
        score_since=row.score_since and as_moment(row.score_since),
        resumes=TrustState(row.resumes) if row.resumes else None,
        suspended_until=row.suspended_until and as_moment(row.suspended_until),
        appealed=bool(row.appealed),
    )
