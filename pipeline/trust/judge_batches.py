"""Judge batches in the verification model [paper 3.3]: the answers of a batch count together, or are asked again."""

from collections import defaultdict
from datetime import datetime

from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.record.question_state import mark_lent_answered, release_to_others
from pipeline.settings.quality_control import batch_rules
from pipeline.settings.settings import Settings
from pipeline.trust.review_trust import known_judgments
from runtime import clock
from runtime.atomic_again import atomic_again
from workers.models import Worker
from workers.rules.batch_verdict import BatchVerdict, Submitted, judge_batches
from workers.rules.score import Score

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
