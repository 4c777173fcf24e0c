"""What a requester is told of the stock: how the questions do, which of them are suspect, and how long they last."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Q

from pipeline.models import KnownQuestion
from pipeline.rules.known.stock_mix import answers
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_forecast import Forecast, stock_forecast
from pipeline.stock.trusted_workers import trusted_judgments

SUSPECT_FROM = 3
"""So many answers by trusted workers, most of them wrong, make a question suspect: it may be wrong itself."""


class Answered(NamedTuple):
    """How often a question was answered by trusted workers, and how often rightly."""

    known: int
    answers: int
    right: int

    @property
    def is_suspect(self) -> bool:
        return self.answers >= SUSPECT_FROM and 2 * self.right < self.answers


@dataclass(frozen=True, slots=True)
class TaskReport:
    task: Task
    forecast: Forecast
    answers: int
    right: int
    """Of these answers, those of trusted workers only."""
    suspects: list[KnownQuestion]

    def count(self, purpose: KnownQuestion.Purpose) -> int:
        return self.forecast.counts[purpose]

    @property
    def mix(self) -> str:
        """How often each answer is right in the verification questions."""
        return ", ".join(f"{answer} {self.forecast.mix[answer]}" for answer in answers(self.task))

    @property
    def share_right(self) -> str:
        """In words: of the answers that trusted workers gave."""
        return f"{self.right / self.answers:.0%} of {self.answers:,}" if self.answers else "no answers yet"

    @property
    def new_worker(self) -> str:
        """In words: how many assignments it lasts for somebody who comes new."""
        each = self.forecast.each
        return "any number" if each is None else f"{each:,}"

    @property
    def at_work(self) -> str:
        """In words: how many assignments until the first active worker has seen the whole stock."""
        first, total, workers = self.forecast.first, self.forecast.total, len(self.forecast.left)
        if first is None:
            return "nobody"
        return f"{first:,}" if workers == 1 else f"{first:,} ({total:,} for all {workers:,})"


def stock_report(project_id: int, task: Task) -> TaskReport:
    """Of what can be asked now; retired questions are left out."""
    done = answered(project_id, task)
    wrong = [one.known for one in done if one.is_suspect]
    suspects = list(KnownQuestion.objects.filter(id__in=wrong).select_related("image"))
    total, right = sum(one.answers for one in done), sum(one.right for one in done)
    return TaskReport(task, stock_forecast(project_id, task), total, right, suspects)


def answered(project_id: int, task: Task) -> list[Answered]:
    """Verification questions that were answered by trusted workers."""
    rows = trusted_judgments(project_id, task).filter(
        known__project=project_id, known__task=task.value, known__retired_at=None, known__purpose=Purpose.VERIFICATION
    )
    counted = rows.order_by().values("known").annotate(answers=Count("id"), good=Count("id", filter=Q(right=True)))
    return [Answered(*row) for row in counted.values_list("known", "answers", "good")]
