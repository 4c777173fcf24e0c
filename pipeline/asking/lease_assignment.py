"""Lease a batch of open questions of one task to one worker."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.asking.admission import Admission, find_admission
from pipeline.asking.draw_items import draw_items, note_shown
from pipeline.asking.end_lease import end_assignments, expire_assignments
from pipeline.asking.plan_work import WorkPlan, may_go_on, plan_work
from pipeline.asking.read_assignment import (
    Item,
    items_of,
    known_places,
    lock_assignment,
    lock_questions,
    with_images,
)
from pipeline.errors import NotTrustedError
from pipeline.models import Assignment, Question
from pipeline.money.spend_cap import release_reward, reserve_reward
from pipeline.open_questions import open_for
from pipeline.record.question_state import lend
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.settings_versions import current_settings, read_settings
from workers.models import Worker
from workers.rules.trust import TrustModel
from workers.rules.work import WorkKind

KEPT = timedelta(hours=24)
"""How long after its lease ran out an assignment can be taken up again."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An assignment with its questions of both kinds, by place, each with its image."""

    assignment: Assignment
    questions: Sequence[Item]
    settings: ProtocolSettings


class SessionHold(Protocol):
    """A session on a platform, which limits how many assignments a worker may ask for. `platforms` implements it."""

    def hold(self, *, worker_id: int, project_id: int, task: Task) -> None:
        """Lock the session within the caller's transaction. Raises SessionOverError or NoAccessError."""

    def note_given(self, assignment: Assignment | None) -> None:
        """Note the assignment that the session was given; None: no question was open."""


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
    session: SessionHold | None = None,
    now: datetime | None = None,
) -> Lease | None:
    """Return the worker's assignment of this task: the one they hold, or a new one. None: no question is open for them.

    An assignment whose lease ran out is returned with its draft, unless others have got one of its questions.
    `plan_work` decides about tests and verification questions. Images without pixels go to virtual workers only.
    A question is leased to one worker at a time, so no rule gets more judgments than it needs. Questions are locked:
    on PostgreSQL those that a concurrent lease is taking are passed over, on SQLite writers wait for one another.

    `project_id`: the project's id or name. `session`: on a platform; an assignment begun in another session goes on in
    this one. Raises NoAccessError if the worker has no access, NotTrustedError with the reason why there is no work
    for them, BudgetSpentError, or SessionOverError.
    """
    now = now or timezone.now()
    try:
        lease = _lease(project_id, worker_id, task, size, session, now)
    except IntegrityError:
        # A concurrent request of the same worker has made an assignment: the database allows one. Or the worker holds
        # one that is too old to be taken up again, and no sweep has ended it yet.
        expire_assignments(worker_id=worker_id, now=now)
        lease = _lease(project_id, worker_id, task, size, session, now)
    if isinstance(lease, NotTrustedError):
        raise lease
    return lease


@transaction.atomic
def _lease(
    project: int | str, worker_id: int, task: Task, size: int | None, session: SessionHold | None, now: datetime
) -> Lease | NotTrustedError | None:
    """Return a refusal instead of raising it, so that what was decided about the worker is committed."""
    admitted = find_admission(project, worker_id, task, now - KEPT)
    if session is None:
        return _give(admitted, worker_id, task, size, now)
    session.hold(worker_id=worker_id, project_id=admitted.project_id, task=task)
    lease = _give(admitted, worker_id, task, size, now)
    session.note_given(lease.assignment if isinstance(lease, Lease) else None)
    return lease


def _give(
    admitted: Admission, worker_id: int, task: Task, size: int | None, now: datetime
) -> Lease | NotTrustedError | None:
    """Return what the worker has begun, or a new assignment."""
    settings = read_settings(admitted.settings)
    held = admitted.held if may_go_on(admitted.history, now) else None
    if held is not None and (lease := _take_up_again(held, settings, now)):
        return lease
    try:
        plan = plan_work(admitted, worker_id, task, settings, now)
    except NotTrustedError as refusal:
        return refusal
    wanted = size or settings.batch[task.value]
    free = open_for(admitted.project_id, task, worker_id, for_people=admitted.kind != Worker.Kind.VIRTUAL)
    items, spare = draw_items(plan, free, worker_id, wanted, settings) if plan else (_oldest(free, wanted), [])
    if not items:
        return None
    assignment = _make(admitted.project_id, worker_id, task, plan, items, settings, now)
    lend(assignment.questions, assignment.id, spare=spare)
    if plan:
        note_shown(plan, worker_id, assignment, items)
    return Lease(assignment, items, settings)


def _oldest(free: QuerySet[Question], wanted: int) -> list[Question]:
    return list(with_images(free).select_for_update(skip_locked=True, of=("self",))[:wanted])


def _make(
    project_id: int,
    worker_id: int,
    task: Task,
    plan: WorkPlan | None,
    items: Sequence[Item],
    settings: ProtocolSettings,
    now: datetime,
) -> Assignment:
    is_test = plan is not None and plan.work.kind is WorkKind.TEST
    waits = (
        plan is not None and plan.work.kind is WorkKind.REAL and settings.trust[task.value] == TrustModel.VERIFICATION
    )
    reward = 0 if is_test else settings.reward_of(task, len(items))
    reserve_reward(project_id, reward, settings)
    assignment = Assignment(
        project_id=project_id,
        worker_id=worker_id,
        task=task.value,
        kind=Assignment.Kind.TEST if is_test else Assignment.Kind.WORK,
        questions=[item.id for item in items if isinstance(item, Question)],
        known=known_places(items),
        created_at=now,
        expires_at=now + timedelta(minutes=settings.lease_minutes),
        reward_cents=reward,
        acceptance=Assignment.Acceptance.WAITING if waits else Assignment.Acceptance.NONE,
    )
    assignment.save(force_insert=True)
    return assignment


def held_questions(*, token: UUID, worker_id: int) -> Lease:
    """Return the assignment with this token, in any state, with its questions.

    Raises NoSuchAssignmentError, or NotYoursError if another worker holds it.
    """
    with transaction.atomic():
        assignment = lock_assignment(token, worker_id)
    found = {question.id: question for question in with_images(Question.objects.filter(id__in=assignment.questions))}
    _, settings = current_settings(assignment.project_id)
    return Lease(assignment, items_of(assignment, found), settings)


def _take_up_again(held: int, settings: ProtocolSettings, now: datetime) -> Lease | None:
    """Return the assignment if its lease is running, or ran out while nobody else has got its questions; else None."""
    assignment = Assignment.objects.select_for_update().get(id=held)
    begun = assignment.state in (Assignment.State.ACTIVE, Assignment.State.EXPIRED)
    if not begun or (assignment.acceptance == Assignment.Acceptance.REFUSED and assignment.expires_at <= now):
        return None
    found = lock_questions(assignment)
    lease = Lease(assignment, items_of(assignment, found), settings)
    if assignment.state == Assignment.State.ACTIVE and assignment.expires_at > now:
        return lease
    if not all(needs_answer(question, assignment) for question in found.values()):
        end_assignments([held], Assignment.State.EXPIRED, now)
        return None
    if assignment.state == Assignment.State.EXPIRED:
        release_reward(assignment.project_id, -assignment.reward_cents)
    assignment.state, assignment.ended_at = Assignment.State.ACTIVE, None
    assignment.expires_at = now + timedelta(minutes=settings.lease_minutes)
    assignment.save(update_fields=["state", "ended_at", "expires_at"])
    lend(assignment.questions, assignment.id)
    return lease


def needs_answer(question: Question, assignment: Assignment) -> bool:
    """Return whether the question is open, on loan to this assignment or to none, and its worker may answer it."""
    return (
        question.state == QuestionState.OPEN.value
        and question.assignment_id in (assignment.id, None)
        and assignment.worker_id not in question.barred
        and assignment.worker_id not in question.skipped
    )
