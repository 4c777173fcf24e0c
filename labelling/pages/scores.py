"""The score that a worker is shown, and when it moves.

Who sees their score move can find out which questions are checked: hand in one assignment, look, hand in the next. So
what is shown lags behind, in two ways:

- Only answers of earlier days (UTC) count. Looking right after an assignment tells nothing of it.
- Of these only the first 10, 20, 30 ... count. A step pools ten answers: it tells how many of them were right, never
  which; and the day on which it comes tells that a tenth question was checked on the day before, not where.

At 2 % a step stands for about five hundred answers. What is told is still the truth, only an older one: decisions rest
on all answers at once (`pipeline.trust.review_trust`). Boxes are told in the same steps, else a drawn box that is never
judged would stand out as one that was checked instead.

That a score is there at all tells that questions were checked before it. The protocol says so to everybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pipeline.rules.tasks.task import Task
from pipeline.trust.review_trust import judged_boxes, known_judgments
from workers.rules.score import Score, Scores

STEP = 10
"""Answers by which a shown score moves."""

Outcome = tuple[datetime, bool]


@dataclass(frozen=True, slots=True)
class Shown:
    """Scores as the worker may see them now; for box drawing they hold the boxes that were judged, too."""

    scores: Scores = field(default_factory=Scores)
    boxes: Score = field(default_factory=Score)
    """Box drawing: boxes approved of those judged."""


def shown_score(worker_id: int, project_id: int, task: Task, since: datetime | None, now: datetime) -> Shown:
    """`since`: when the score began anew; None: it counts from the first answer."""
    judged = known_judgments(worker_id, project_id, task)
    if since:
        judged = judged.filter(created_at__gt=since)
    known: list[Outcome] = list(judged.filter(right__isnull=False).values_list("created_at", "right"))  # type: ignore[arg-type]
    boxes = judged_boxes(worker_id, project_id, since) if task is Task.BOX_DRAWING else []
    return Shown(Scores.of(_in_steps([*known, *boxes], now)), Score(*_count(_in_steps(boxes, now))))


def _in_steps(outcomes: Sequence[Outcome], now: datetime) -> list[bool]:
    """What was right, the oldest first: of earlier days alone, and cut to whole steps."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    earlier = [right for moment, right in sorted(outcomes, key=lambda one: one[0]) if moment < today]
    return earlier[: len(earlier) // STEP * STEP]


def _count(outcomes: Sequence[bool]) -> tuple[int, int]:
    return sum(outcomes), len(outcomes)


def score_in_words(shown: Shown, minimum: float) -> list[str]:
    """Sentences for the worker; `minimum`: 0 to 1."""
    needed = f"Needed: {minimum:.0%}.".replace("%", " %")
    overall, recent, boxes = shown.scores.overall, shown.scores.recent, shown.boxes
    if not overall.total:
        return [f"No score yet. {needed}"]
    of_what = "on checked questions and judged boxes" if boxes.total else "on checked questions"
    lines = [f"You: {_in_words(overall, 'right')} {of_what}, {_percent(overall)}. {needed}"]
    if overall.total > recent.total:
        lines.append(f"The last {recent.total}: {recent.right} right, {_percent(recent)}.")
    if boxes.total:
        lines.append(f"Your boxes: {_in_words(boxes, 'approved')}, {_percent(boxes)}.")
    return lines


def _in_words(score: Score, what: str) -> str:
    return f"{score.right} of {score.total} {what}"


def _percent(score: Score) -> str:
    return f"{score.share or 0:.0%}".replace("%", " %")
