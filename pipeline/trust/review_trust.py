"""Review workers' trust by their scores [paper 3.3]: on verification questions and, for drawing, on judged boxes."""

from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Box
from annotation.rules.states import BoxState
from pipeline.gold_questions.known_questions import unseen_count
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.record.question_state import mark_lent_answered, release_to_others
from pipeline.settings.of_work import batch_rules, trust_rules
from pipeline.settings.settings import Settings
from pipeline.trust.void_answers import void_unresolved
from runtime import clock
from runtime.database import atomic_again
from workers.change_trust import BY_HAND, apply_decision, change_trust, trust_of
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.score import BatchVerdict, Score, Scores, Submitted, judge_batches
from workers.rules.trust import Decision, Evidence, decide
from workers.rules.trust_states import Trust, TrustEvent, TrustState

LOSING = frozenset({TrustEvent.LOSE_TRUST, TrustEvent.FAIL_AGAIN, TrustEvent.FAIL_PROBATION})
LOST = "The worker lost trust: answers from which nothing has followed yet are asked again."

OVERLAP = timedelta(minutes=1)
"""Time before a review that the next one looks at again."""


class Review(NamedTuple):
    """A worker's trust after a review."""

    trust: Trust
    answered: int
    """Verification questions answered since probation began."""


def review_trust(
    *, worker_id: int, project_id: int, task: Task, settings: Settings, now: datetime | None = None
) -> Review:
    """Decide by the scores what the worker's trust is now, and write it if it changed.

    `take_back` voids the answers of workers who lost trust.
    """
    now = now or clock.now()
    rules = trust_rules(settings, task)

    review = Review(BY_HAND, 0)

    def decided(old: Trust) -> Decision | None:
        nonlocal review
        evidence = evidence_of(worker_id, project_id, task, old)
        review = Review(old, evidence.probation.total)
        if old.state is TrustState.PROBATION and evidence.probation.total >= rules.probation:
            evidence = replace(evidence, known_used_up=_has_seen_all_known(worker_id, project_id, task))
        return decide(old, evidence, rules, now)

    while change := apply_decision(
        worker_id=worker_id, project_id=project_id, task=task.value, decide=decided, now=now
    ):
        if change.event in LOSING:
            set_aside(worker_id, project_id, task)
        if change.old == change.new:
            # From one probation to the next: the same answers must not decide that one, too.
            trust = trust_of(worker_id, project_id, task.value)
            return Review(trust, evidence_of(worker_id, project_id, task, trust).probation.total)
    return review


def evidence_of(worker_id: int, project_id: int, task: Task, trust: Trust) -> Evidence:
    """Collect the worker's right and wrong answers on the task since their score began."""
    judged = known_judgments(worker_id, project_id, task)
    if trust.score_since:
        judged = judged.filter(created_at__gt=trust.score_since)
    known = [(moment, bool(right)) for moment, right in judged.values_list("created_at", "right")]
    boxes = judged_boxes(worker_id, project_id, trust.score_since) if task is Task.BOX_DRAWING else []
    since = trust.probation_since
    on_probation = [right for moment, right in known if since is None or moment > since]
    outcomes = [right for _, right in sorted([*known, *boxes], key=lambda one: one[0])]
    return Evidence(Scores.of(outcomes), Score(sum(on_probation), len(on_probation)))


def _has_seen_all_known(worker_id: int, project_id: int, task: Task) -> bool:
    """Return whether the worker was shown the whole stock and has no assignment of the task in work."""
    task_of_worker = {"worker": worker_id, "project": project_id, "task": task.value}
    if Assignment.objects.filter(**task_of_worker, state=Assignment.State.ACTIVE).exists():
        return False
    status = TrustStatus.objects.filter(**task_of_worker).first()
    return status is not None and unseen_count(status) == 0


def known_judgments(worker_id: int, project_id: int, task: Task) -> QuerySet[Judgment]:
    """Select the worker's answers to verification questions, oldest first. Answers in tests are left out."""
    return Judgment.objects.filter(
        worker=worker_id,
        known__project=project_id,
        known__task=task.value,
        known__purpose=KnownQuestion.Purpose.VERIFICATION,
    ).order_by("id")


def judged_boxes(worker_id: int, project_id: int, since: datetime | None) -> list[tuple[datetime, bool]]:
    """Return when each of the worker's boxes was judged, and whether it was accepted."""
    own = Box.objects.filter(drawn_by=worker_id, image__project=project_id, judged_at__isnull=False)
    if since:
        own = own.filter(judged_at__gt=since)
    rows = own.order_by("judged_at", "id").values_list("judged_at", "state")
    return [(moment, state == BoxState.ACCEPTED.value) for moment, state in rows if moment is not None]


def set_aside(worker_id: int, project_id: int, task: Task) -> None:
    """Mark assignments that the worker has begun: they will be paid, but their answers not used."""
    begun = Assignment.objects.filter(worker=worker_id, project=project_id, task=task.value)
    begun = begun.filter(state__in=[Assignment.State.ACTIVE, Assignment.State.EXPIRED], kind=Assignment.Kind.WORK)
    begun.exclude(questions=[]).update(
        acceptance=Assignment.Acceptance.REFUSED,
        acceptance_reason="The worker lost trust before submitting these answers.",
    )


def review_workers(project_id: int, *, now: datetime | None = None) -> int:
    """Review all workers with new results, and void what workers who lost trust answered. Returns how many reviewed."""
    if not TrustStatus.objects.filter(project_id=project_id).exists():
        return 0
    now = now or clock.now()
    rows = list(_with_news(project_id, now).values_list("worker_id", "task"))
    if rows:
        _, settings = current_settings(project_id)
        for worker, task in rows:
            review_trust(worker_id=worker, project_id=project_id, task=Task(task), settings=settings, now=now)
            # An answer that is being stored may bear an earlier time: the next review looks at this minute again.
            status = TrustStatus.objects.filter(worker=worker, project_id=project_id, task=task)
            status.update(reviewed_at=now - OVERLAP)
    take_back(project_id)
    return len(rows)


def _with_news(project_id: int, now: datetime) -> QuerySet[TrustStatus]:
    """Select trust statuses with an answer or a judged box since the last review, or whose suspension is over."""
    judged = Judgment.objects.filter(
        worker=OuterRef("worker"), known__project=OuterRef("project_id"), known__task=OuterRef("task")
    )
    boxes = Box.objects.filter(drawn_by=OuterRef("worker"), image__project=OuterRef("project_id"))
    since = OuterRef("reviewed_at")
    answers = Exists(judged.filter(created_at__gte=since)) | (Q(reviewed_at=None) & Exists(judged))
    drawn = Exists(boxes.filter(judged_at__gte=since)) | (
        Q(reviewed_at=None) & Exists(boxes.filter(judged_at__lte=now))
    )
    over = Q(state=TrustState.SUSPENDED.value, suspended_until__lte=now)
    by_figures = Q(state__in=[TrustState.PROBATION.value, TrustState.TRUSTED.value])
    news = by_figures & (answers | (Q(task=Task.BOX_DRAWING.value) & drawn))
    return TrustStatus.objects.filter(news | over, project_id=project_id).order_by("id")


def take_back(project_id: int) -> int:
    """Void the unresolved judgments of workers who lost trust, and return how many. Their questions are asked again.

    The mark on a status is cleared when all is done: after an interruption, the next call voids the rest.
    """
    voided = 0
    for row in TrustStatus.objects.filter(project_id=project_id, take_back=True).order_by("id"):
        last = TrustChange.objects.filter(worker=row.worker_id, project_id=project_id, task=row.task).first()
        why = f"{LOST} {last.reason if last else ''}"[:500]
        voided += void_unresolved(worker_id=row.worker_id, project_id=project_id, task=Task(row.task), reason=why)
        TrustStatus.objects.filter(id=row.id, take_back=True).update(take_back=False)
    return voided


class AppliedDecision(NamedTuple):
    """A change of trust, with the number of judgments that were voided to be asked again."""

    change: TrustChange
    voided: int


def decide_trust(
    *,
    worker_id: int,
    project_id: int,
    task: Task,
    event: TrustEvent,
    reason: str,
    actor: str,
    until: datetime | None = None,
    take_back: bool = False,
) -> AppliedDecision:
    """Change the worker's trust; set waiting judgments aside if trust ends; `take_back`: void what has no effect yet.

    Raises IllegalMoveError if the event cannot happen to the worker.
    """
    change = change_trust(
        worker_id=worker_id, project_id=project_id, task=task, event=event, because=reason, actor=actor, until=until
    )
    if change.new in (TrustState.SUSPENDED, TrustState.BARRED):
        set_aside(worker_id=worker_id, project_id=project_id, task=task)
    voided = 0
    if take_back:
        voided = void_unresolved(worker_id=worker_id, project_id=project_id, task=task, reason=reason, actor=actor)
    return AppliedDecision(change, voided)


Acceptance, State = Assignment.Acceptance, Assignment.State


def judge_waiting(project_id: int, *, now: datetime | None = None) -> int:
    """Judge the batches that are complete, or older than a day. Returns how many assignments were judged."""
    now = now or clock.now()
    # All that wait are read, which few do: PostgreSQL with old statistics would go by any other condition instead.
    waiting = Assignment.objects.filter(acceptance=Acceptance.WAITING).order_by("worker_id", "task")
    found = waiting.values_list("worker_id", "task", "project_id", "state").distinct()
    pairs = [row[:2] for row in found if row[2:] == (project_id, State.SUBMITTED)]
    if not pairs:
        return 0
    _, settings = current_settings(project_id)
    return sum(_judge_worker(project_id, worker, Task(task), settings, now) for worker, task in pairs)


@atomic_again
def _judge_worker(project_id: int, worker_id: int, task: Task, settings: Settings, now: datetime) -> int:
    # Locked, so that two runners do not give the same batch two verdicts.
    Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    own = Assignment.objects.filter(project=project_id, worker=worker_id, task=task.value)
    waiting = own.filter(acceptance=Acceptance.WAITING, state=State.SUBMITTED)
    ended = {row.id: row.ended_at for row in waiting.only("id", "ended_at") if row.ended_at}
    scores = _scores(list(ended))
    submitted = [Submitted(number, at, scores[number]) for number, at in ended.items()]
    outcomes = list(known_judgments(worker_id, project_id, task).values_list("right", flat=True))
    overall = Score(sum(map(bool, outcomes)), len(outcomes))
    verdicts = judge_batches(submitted, overall, batch_rules(settings, task), now)
    for verdict in verdicts:
        _write(verdict, worker_id)
    return sum(len(verdict.assignments) for verdict in verdicts)


def _scores(assignments: list[int]) -> dict[int, Score]:
    """Return the score on verification questions of each assignment, by id."""
    scores: dict[int, Score] = defaultdict(Score)
    graded = Judgment.objects.filter(
        assignment__in=assignments, known__purpose=KnownQuestion.Purpose.VERIFICATION
    ).values_list("assignment_id", "right")
    for assignment, right in graded:
        scores[assignment] += Score(int(bool(right)), 1)
    return scores


def _write(verdict: BatchVerdict, worker_id: int) -> None:
    """Let the answers of an accepted batch count, or give the questions of a refused one to others.

    The worker is paid for both: refusing pay is up to the requester.
    """
    acceptance = Acceptance.ACCEPTED if verdict.accepted else Acceptance.REFUSED
    batch = Assignment.objects.filter(id__in=verdict.assignments)
    batch.update(acceptance=acceptance, acceptance_reason=verdict.reason[:300])
    if verdict.accepted:
        mark_lent_answered(verdict.assignments)
    else:
        release_to_others(verdict.assignments, worker_id)
