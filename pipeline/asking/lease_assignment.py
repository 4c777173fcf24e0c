"""Lease a batch of open questions of one task to one worker."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from pipeline.asking.admission import Admission, find_admission
from pipeline.asking.draw_items import draw_items, note_shown, with_images
from pipeline.asking.end_lease import end_assignments, expire_assignments
from pipeline.asking.layout import Item, items_of, known_places
from pipeline.asking.lock_assignment import lock_assignment
from pipeline.asking.plan_work import WorkPlan, may_go_on, plan_work
from pipeline.errors import NotTrustedError
from pipeline.models import Assignment, Question
from pipeline.money.reserve_reward import release_reward, reserve_reward
from pipeline.open_questions import open_for
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.settings_versions import current_settings, read_settings
from workers.models import Worker
from workers.rules.trust import TrustModel
from workers.rules.work import WorkKind

KEPT = timedelta(hours=24)
"""How long after its lease ran out an assignment may be taken up again."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An assignment with its questions of both kinds, each with its image, in the order in which they are shown."""

    assignment: Assignment
    questions: Sequence[Item]
    settings: ProtocolSettings


class SessionHold(Protocol):
    """A session on a platform, as the right to ask for an assignment. The layer of platforms implements it."""

    def hold(self, *, worker_id: int, project_id: int, task: Task) -> None:
        """Lock the session within the caller's transaction. SessionOverError, NoAccessError."""

    def note_given(self, assignment: Assignment | None) -> None:
        """Record what the session was given; None: nothing was open."""


def lease_assignment(
    *, project_id: int, worker_id: int, task: Task, size: int | None = None, now: datetime | None = None
) -> Assignment | None:
    """As `lease_questions`, without the questions."""
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
    """The worker's assignment of this task: the one they hold already, or a new one; None: nothing is open for them.

    One whose lease ran out is given back with its draft, if none of its questions has gone to anybody else.
    Who is not trusted yet gets a test, or verification questions only; who is gets some of these among the real ones,
    as soon as there are any (`plan_work`). Questions are locked; on PostgreSQL those that another worker is just taking
    are passed over, on SQLite writers wait for one another. A question is leased to one worker at a time, so no rule
    gets more judgments than it needs. Images without pixels go to virtual workers only. `project_id`: or the name.
    `session`: on a platform; an assignment that was begun in another session goes on in this one.
    NoAccessError: not admitted. NotTrustedError: nothing is for them, and why. BudgetSpentError. SessionOverError.
    """
    now = now or timezone.now()
    try:
        lease = _lease(project_id, worker_id, task, size, session, now)
    except IntegrityError:
        # The worker asked twice at once: the database lets one assignment be made, and it is there now. Or they hold
        # one that is too old to be taken up again, and no sweep has ended it.
        expire_assignments(worker_id=worker_id, now=now)
        lease = _lease(project_id, worker_id, task, size, session, now)
    if isinstance(lease, NotTrustedError):
        raise lease
    return lease


@transaction.atomic
def _lease(
    project: int | str, worker_id: int, task: Task, size: int | None, session: SessionHold | None, now: datetime
) -> Lease | NotTrustedError | None:
    """A refusal is returned: what was decided about the worker on the way stays written."""
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
    """What the worker began, or something new."""
    settings = read_settings(admitted.settings)
    held = admitted.held if may_go_on(admitted.footing, now) else None
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
    _hold(assignment, spare)
    if plan:
        note_shown(plan, worker_id, assignment, items)
    return Lease(assignment, items, settings)


def _hold(assignment: Assignment, spare: Sequence[int]) -> None:
    """Lend the questions. The spare ones are written as they were, so that writing takes the same time with them."""
    held: Any = assignment
    if spare:
        held = Case(When(id__in=assignment.questions, then=Value(assignment.id)), default=None)
    Question.objects.filter(id__in=[*assignment.questions, *spare]).update(assignment=held)


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
        verdict=Assignment.Verdict.WAITING if waits else Assignment.Verdict.NONE,
    )
    assignment.save(force_insert=True)
    return assignment


def held_questions(*, token: UUID, worker_id: int) -> Lease:
    """The assignment that a page names, in any state, with its questions. NoSuchAssignmentError, NotYoursError."""
    with transaction.atomic():
        assignment = lock_assignment(token, worker_id)
    found = {question.id: question for question in with_images(Question.objects.filter(id__in=assignment.questions))}
    _, settings = current_settings(assignment.project_id)
    return Lease(assignment, items_of(assignment, found), settings)


def _take_up_again(held: int, settings: ProtocolSettings, now: datetime) -> Lease | None:
    """The assignment whose lease runs; or ran out, and nobody else has its questions: what was begun is good still."""
    assignment = Assignment.objects.select_for_update().get(id=held)
    begun = assignment.state in (Assignment.State.ACTIVE, Assignment.State.EXPIRED)
    if not begun or (assignment.verdict == Assignment.Verdict.REFUSED and assignment.expires_at <= now):
        return None
    rows = with_images(Question.objects.filter(id__in=assignment.questions)).select_for_update(of=("self",))
    found = {question.id: question for question in rows.order_by("id")}
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
    Question.objects.filter(id__in=assignment.questions).update(assignment=assignment)
    return lease


def needs_answer(question: Question, assignment: Assignment) -> bool:
    """Still open, and leased to us or (our lease having run out) to nobody; and we may still answer it."""
    return (
        question.state == QuestionState.OPEN.value
        and question.assignment_id in (assignment.id, None)
        and assignment.worker_id not in question.barred
        and assignment.worker_id not in question.skipped
    )
