"""The verification model [paper 3.3]: judgments count, or are asked again, batch by batch."""

from collections import defaultdict
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import batch_rules
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.settings_versions import current_settings
from pipeline.trust.ask_others import ask_others
from pipeline.trust.review_trust import known_judgments
from workers.models import Worker
from workers.rules.batch_verdict import BatchVerdict, Submitted, judge_batches
from workers.rules.score import Score

Verdict = Assignment.Verdict


def judge_waiting(project_id: int, *, now: datetime | None = None) -> int:
    """Judge the batches that are complete, or older than a day. Returns how many assignments got their verdict."""
    now = now or timezone.now()
    _, settings = current_settings(project_id)
    waiting = Assignment.objects.filter(project=project_id, verdict=Verdict.WAITING, state=Assignment.State.SUBMITTED)
    pairs = waiting.order_by("worker", "task").values_list("worker_id", "task").distinct()
    return sum(_judge_worker(project_id, worker, Task(task), settings, now) for worker, task in pairs)


@transaction.atomic
def _judge_worker(project_id: int, worker_id: int, task: Task, settings: ProtocolSettings, now: datetime) -> int:
    Worker.objects.select_for_update(no_key=True).get(
        id=worker_id
    )  # two runners would give the same batch two verdicts
    place = {"project": project_id, "worker": worker_id, "task": task.value}
    waiting = Assignment.objects.filter(**place, verdict=Verdict.WAITING, state=Assignment.State.SUBMITTED)
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
    """Of each assignment's verification questions."""
    scores: dict[int, Score] = defaultdict(Score)
    graded = Judgment.objects.filter(
        assignment__in=assignments, known__purpose=KnownQuestion.Purpose.VERIFICATION
    ).values_list("assignment_id", "right")
    for assignment, right in graded:
        scores[assignment] += Score(int(bool(right)), 1)
    return scores


def _write(verdict: BatchVerdict, worker_id: int) -> None:
    """An accepted batch acts now; the questions of a refused one go to others. Its pay is another matter."""
    says = Verdict.ACCEPTED if verdict.accepted else Verdict.REFUSED
    Assignment.objects.filter(id__in=verdict.assignments).update(verdict=says, verdict_reason=verdict.reason[:300])
    if not verdict.accepted:
        ask_others(verdict.assignments, worker_id)
        return
    held = Question.objects.filter(assignment__in=verdict.assignments, state=QuestionState.OPEN.value)
    held.update(state=QuestionState.ANSWERED.value, assignment=None)
