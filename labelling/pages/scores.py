"""The score that a worker sees, and when it changes.

A worker who sees the score change can find out which questions are checked: submit one assignment, look, submit the
next. The score therefore lags behind in two ways:

- Only answers of earlier days (UTC) count. A look right after an assignment tells the worker nothing.
- Of these answers only the first 10, 20, 30 ... count. A step tells how many of ten answers were right, never which
  ones. It shows that a tenth question was checked on the day before, not where.

If 2 % of the questions are checked, a step stands for about five hundred answers. The shown score is true, only older:
decisions use all answers at once (`pipeline.trust.review_trust`). Boxes count in the same steps. Otherwise a box that
other workers never judge would stand out as one that was checked.

The score alone shows that some earlier questions were checked. The protocol says so to everybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext, gettext_noop

from pipeline.protocol.tasks.task import Task
from pipeline.trust.review_trust import judged_boxes, known_judgments
from runtime.words import percent
from workers.rules.score import Score, Scores

STEP = 10
"""The number of answers by which a shown score advances."""

Outcome = tuple[datetime, bool]


@dataclass(frozen=True, slots=True)
class ShownScores:
    """The scores that the worker may see now. For box drawing they include the judged boxes."""

    scores: Scores = field(default_factory=Scores)
    boxes: Score = field(default_factory=Score)
    """Box drawing: the approved boxes among those judged."""


def shown_score(worker_id: int, project_id: int, task: Task, since: datetime | None, now: datetime) -> ShownScores:
    """Return the score for the worker. `since`: when the score started anew; None: with the first answer."""
    judged = known_judgments(worker_id, project_id, task)
    if since:
        judged = judged.filter(created_at__gt=since)
    known: list[Outcome] = list(judged.filter(right__isnull=False).values_list("created_at", "right"))  # type: ignore[arg-type]
    boxes = judged_boxes(worker_id, project_id, since) if task is Task.BOX_DRAWING else []
    return ShownScores(Scores.of(_in_steps([*known, *boxes], now)), Score(*_count(_in_steps(boxes, now))))


def _in_steps(outcomes: Sequence[Outcome], now: datetime) -> list[bool]:
    """Return which outcomes were right, the oldest first: only those of earlier days, cut to whole steps."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    earlier = [right for moment, right in sorted(outcomes, key=lambda one: one[0]) if moment < today]
    return earlier[: len(earlier) // STEP * STEP]


def _count(outcomes: Sequence[bool]) -> tuple[int, int]:
    return sum(outcomes), len(outcomes)


def score_in_words(shown: ShownScores, minimum: float) -> list[str]:
    """Return the score in sentences for the worker. `minimum`: the score needed, 0 to 1."""
    needed = gettext("Needed: %(share)s.") % {"share": _share(minimum)}
    overall, recent, boxes = shown.scores.overall, shown.scores.recent, shown.boxes
    if not overall.total:
        return [f"{gettext('No score yet.')} {needed}"]
    if boxes.total:
        said = gettext("You: %(right)s of %(total)s right on checked questions and judged boxes, %(share)s.")
    else:
        said = gettext("You: %(right)s of %(total)s right on checked questions, %(share)s.")
    lines = [f"{said % _values(overall)} {needed}"]
    if overall.total > recent.total:
        lines.append(gettext("The last %(total)s: %(right)s right, %(share)s.") % _values(recent))
    if boxes.total:
        lines.append(gettext("Your boxes: %(right)s of %(total)s approved, %(share)s.") % _values(boxes))
    return lines


BELOW, OVER = gettext_noop("below 1 %"), gettext_noop("over 99 %")
"""Two ways in which `percent` writes a share."""


def _values(score: Score) -> dict[str, str]:
    return {"right": str(score.right), "total": str(score.total), "share": _share(score.share or 0)}


def _share(share: float) -> str:
    return gettext(percent(share))
