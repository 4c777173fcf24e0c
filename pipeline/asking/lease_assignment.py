"""Lease a batch of open questions of one task to one worker."""

from datetime import datetime, timedelta
from math import inf
from typing import NamedTuple, Protocol
from uuid import UUID

from django.db import IntegrityError, transaction

from annotation.project_terms import NO_NEW_QUESTIONS
from annotation.rules.states import ProjectState
from pipeline.asking.admission import NOBODY_TO_CHECK, Admission, Guard, find_admission
from pipeline.asking.draw_items import AfterModels, DrawnItems, FreeQuestions, draw_items, draw_real, note_shown
from pipeline.asking.end_lease import RESUMABLE_FOR, expire_assignments, return_ahead, take_up_again
from pipeline.asking.plan_work import WorkPlan, may_go_on, plan_work
from pipeline.asking.read_assignment import (
    LeasedAssignment,
    items_of,
    known_places,
    lock_assignment,
    lock_questions,
    read_questions,
)
from pipeline.errors import (
    BudgetSpentError,
    NotForProgramsError,
    NotRunningError,
    NotSetToWorkError,
    NotTrustedError,
    SessionOverError,
)
from pipeline.models import Assignment, Question
from pipeline.money.spend_cap import reserve_reward
from pipeline.policies.compose import compose, engine_of
from pipeline.project.queries import models_at_work
from pipeline.project.settings_versions import current_settings, read_version
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.record.question_state import lend
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import work_of
from runtime import clock
from runtime.database import atomic_again
from runtime.marked_points import reach
from workers.models import Access, Worker
from workers.rules.trust import TrustModel
from workers.rules.work import WorkKind

MODEL_SECONDS = 30.0
"""A question that a model annotator may answer goes to people after this time without its answer."""
AHEAD_MINUTES = 10.0
"""The longest time that the assignment after the present one waits for its worker."""


Refusal = NotTrustedError | NotRunningError


class SessionHold(Protocol):
    """A session on a platform, which limits how many assignments a worker may ask for. `platforms` implements it."""

    def hold(self, *, worker_id: int, project_id: int, task: Task, ahead: bool = False) -> None:
        """Lock the session within the caller's transaction. Raises SessionOverError or NoAccessError.

        `ahead`: the worker still answers; SessionOverError unless the session needs another assignment after that.
        """

    def note_given(self, assignment: Assignment | None) -> None:
        """Note the assignment that the session was given; None: no question was open."""


class _LeaseRequest(NamedTuple):
    """The request for an assignment: see `lease_questions`."""

    project: int | str
    worker_id: int
    task: Task
    size: int | None
    most: int | None
    session: SessionHold | None
    guard: Guard
    ahead_of: UUID | None
    now: datetime


def lease_assignment(
    *, project_id: int, worker_id: int, task: Task, size: int | None = None, now: datetime | None = None
) -> Assignment | None:
    """Call `lease_questions`, and return the assignment alone."""
    lease = lease_questions(project_id=project_id, worker_id=worker_id, task=task, size=size, now=now)
    return lease.assignment if lease else None


def lease_questions(
    *,
    project_id: int | str,
    worker_id: int,
    task: Task,
    size: int | None = None,
    count: int | None = None,
    session: SessionHold | None = None,
    guard: Guard = NOBODY_TO_CHECK,
    ahead_of: UUID | None = None,
    now: datetime | None = None,
) -> LeasedAssignment | None:
    """Return the worker's assignment of this task: the one they hold, or a new one. None: no question is open for them.

    An assignment whose lease ran out is returned with its draft, unless others have got one of its questions.
    `plan_work` decides about tests and verification questions. Images without pixels go to virtual workers only.
    A question is leased to one worker at a time, so no rule gets more judgments than it needs. Questions are locked:
    on PostgreSQL those that a concurrent lease is taking are passed over, on SQLite writers wait for one another.

    `project_id`: the project's id or name. `count`: the number of questions that a program wants; people get the
    project's number. `session`: on a platform; an assignment begun in another session goes on in this one. `guard`: the
    check that the caller is signed in. Raises SignedOutError if it fails, NoAccessError if the worker has no access,
    NotTrustedError with the reason why there is no work for them, NotRunningError, BudgetSpentError, or
    SessionOverError. A project that is not running lets workers go on with what they have begun.

    `ahead_of`: the token of an assignment that the worker still answers; the one after it is leased. Nothing refuses
    that; the answer is None, and the worker is told the reason when they ask again.
    """
    now = now or clock.now()
    asked = _LeaseRequest(project_id, worker_id, task, size, count, session, guard, ahead_of, now)
    try:
        lease = _lease(asked)
    except IntegrityError:
        # A concurrent request of the same worker has made an assignment: the database allows one. Or the worker holds
        # one that is too old to be taken up again, and no sweep has ended it yet.
        expire_assignments(worker_id=worker_id, now=now)
        lease = _lease(asked)
    except (BudgetSpentError, SessionOverError):
        if ahead_of is None:
            raise
        return None
    reach("lease: committed")
    if isinstance(lease, Refusal):
        if ahead_of is None:
            raise lease
        return None
    return lease


@atomic_again
def _lease(request: _LeaseRequest) -> LeasedAssignment | Refusal | None:
    """Return a refusal instead of raising it, so that what was decided about the worker is committed."""
    admitted = find_admission(
        request.project, request.worker_id, request.task, request.now - RESUMABLE_FOR, request.guard
    )
    session, ahead_of = request.session, request.ahead_of
    if session:
        of = {"worker_id": request.worker_id, "project_id": admitted.project_id}
        session.hold(**of, task=request.task, ahead=ahead_of is not None)
    now = request.now
    size = request.most if request.most and admitted.kind == Worker.Kind.PROGRAM else request.size
    lease = _give(admitted, size, now) if ahead_of is None else _give_ahead(admitted, ahead_of, size, now)
    if session and (lease or ahead_of is None):
        session.note_given(lease.assignment if isinstance(lease, LeasedAssignment) else None)
    return lease


def _give(admitted: Admission, size: int | None, now: datetime) -> LeasedAssignment | Refusal | None:
    """Return what the worker has begun, or a new assignment."""
    settings = read_version(admitted.settings)
    held = admitted.running_assignment if may_go_on(admitted.history, now) else None
    if admitted.project_state is not ProjectState.RUNNING:
        return _begun(held, settings, now) or NotRunningError(NO_NEW_QUESTIONS[admitted.project_state])
    if held is not None and (lease := take_up_again(held, settings, now)):
        return lease
    if held is not None:
        # What it showed was taken back.
        admitted = _admitted_again(admitted, now)
    return _draw(admitted, size, settings, now)


def _admitted_again(admitted: Admission, now: datetime) -> Admission:
    return find_admission(admitted.project_id, admitted.worker_id, admitted.task, now - RESUMABLE_FOR)


def _begun(assignment_id: int | None, settings: Settings, now: datetime) -> LeasedAssignment | None:
    """Return the assignment if its worker has begun it and its lease is running."""
    running = {"ahead": False, "state": Assignment.State.ACTIVE, "expires_at__gt": now}
    assignment = Assignment.objects.filter(id=assignment_id, **running).first() if assignment_id is not None else None
    return (
        LeasedAssignment(assignment, items_of(assignment, lock_questions(assignment)), settings) if assignment else None
    )


def _give_ahead(
    admitted: Admission, current: UUID, size: int | None, now: datetime
) -> LeasedAssignment | Refusal | None:
    """Return the assignment after the one that the worker still answers. None: the worker may not go on after that.

    A worker on probation gets it like a trusted one, because workers are not told which they are.
    """
    held = lock_assignment(current, admitted.worker_id)
    running = held.id == admitted.running_assignment and held.state == Assignment.State.ACTIVE and held.expires_at > now
    if not running or held.ahead or held.kind == Assignment.Kind.TEST or not may_go_on(admitted.history, now):
        return None
    if admitted.project_state is not ProjectState.RUNNING:
        return None
    settings = read_version(admitted.settings)
    of = {"worker": admitted.worker_id, "project": admitted.project_id, "task": admitted.task.value}
    if ahead := Assignment.objects.filter(**of, ahead=True, state=Assignment.State.ACTIVE).first():
        if ahead.expires_at > now:
            return LeasedAssignment(ahead, items_of(ahead, lock_questions(ahead)), settings)
        return_ahead(held, now)
        admitted = _admitted_again(admitted, now)
    return _draw(admitted, size, settings, now, held)


def _draw(
    admitted: Admission,
    size: int | None,
    settings: Settings,
    now: datetime,
    current: Assignment | None = None,
) -> LeasedAssignment | Refusal | None:
    """Make a new assignment. `current`: the one that the worker still answers."""
    worker_id, task = admitted.worker_id, admitted.task
    judges = engine_of(settings).judges(task)
    is_model_annotator = worker_id in judges
    if admitted.kind == Worker.Kind.PROGRAM and compose(settings).sets_aside(worker_id, task):
        # Its answers are evidence there, never a worker's, and its boxes are pre-annotations.
        return NotSetToWorkError() if task in JUDGING else NotForProgramsError()
    if is_model_annotator:
        Access.objects.filter(worker=worker_id, project=admitted.project_id, task=task.value).update(asked_at=now)
    try:
        plan = (
            None
            if is_model_annotator
            else plan_work(admitted, settings, now, unanswered=len(current.known) if current else 0)
        )
    except NotTrustedError as refusal:
        return refusal
    wanted = size or settings.batch[task.value]
    for_people, sweeps = admitted.kind != Worker.Kind.VIRTUAL, admitted.kind != Worker.Kind.PROGRAM
    free = FreeQuestions(admitted.project_id, task, worker_id, for_people, sweeps)
    if not is_model_annotator and (at_work := models_at_work(admitted.project_id, judges, now, task)):
        free = free._replace(after_models=AfterModels(at_work, now - timedelta(seconds=MODEL_SECONDS)))
    drawn = draw_items(plan, free, worker_id, wanted, settings) if plan else draw_real(free, wanted)
    if not drawn.items:
        return None
    assignment = _make(admitted, plan, drawn, settings, now, ahead=current is not None)
    lend([*assignment.questions, *assignment.spare], assignment.id)
    reach("lease: questions lent")
    if plan:
        note_shown(plan, worker_id, assignment, drawn)
    return LeasedAssignment(assignment, drawn.items, settings)


def _make(
    admitted: Admission, plan: WorkPlan | None, drawn: DrawnItems, settings: Settings, now: datetime, *, ahead: bool
) -> Assignment:
    project_id, task, items = admitted.project_id, admitted.task, drawn.items
    kind = plan.work.kind if plan else None
    is_test = kind is WorkKind.TEST
    waits = kind is WorkKind.REAL and settings.trust[task.value] == TrustModel.VERIFICATION
    unpaid = is_test or admitted.worker_id in engine_of(settings).judges(task)
    reward = 0 if unpaid else settings.reward_of(task, work_of(task, (item.shown for item in items)))
    by_person = not is_test and admitted.kind != Worker.Kind.PROGRAM
    reserve_reward(project_id, reward, settings, answers=len(items) if by_person else 0)
    assignment = Assignment(
        project_id=project_id,
        worker_id=admitted.worker_id,
        task=task.value,
        kind=Assignment.Kind.TEST if is_test else Assignment.Kind.WORK,
        questions=[item.id for item in items if isinstance(item, Question)],
        known=known_places(items),
        spare=drawn.spare,
        created_at=now,
        expires_at=now + timedelta(minutes=min(settings.lease_minutes, AHEAD_MINUTES if ahead else inf)),
        reward_cents=reward,
        acceptance=Assignment.Acceptance.WAITING if waits else Assignment.Acceptance.NONE,
        ahead=ahead,
    )
    assignment.save(force_insert=True)
    return assignment


def leased_questions(*, token: UUID, worker_id: int, guard: Guard | None = None) -> LeasedAssignment:
    """Return the assignment with this token, in any state, with its questions.

    Raises NoSuchAssignmentError, or NotYoursError if another worker holds it.
    """
    with transaction.atomic():
        assignment = lock_assignment(token, worker_id, guard)
    found = read_questions(assignment)
    _, settings = current_settings(assignment.project_id)
    return LeasedAssignment(assignment, items_of(assignment, found), settings)
