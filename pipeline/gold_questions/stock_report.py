"""A requester's report on the stock: how its questions do, which are suspect, and how long they last."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Q

from pipeline.gold_questions.known_questions import Purpose
from pipeline.gold_questions.stock_forecast import StockForecast, known_forecasts
from pipeline.gold_questions.suggest_known import trusted_judgments
from pipeline.known.question_mix import answer_names, kinds_present, one_button
from pipeline.models import KnownQuestion
from pipeline.project.queries import tasks_of_id
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from runtime.words import percent

SUSPECT_FROM = 3
"""Answers by trusted workers, most of them wrong, that make a question suspect: it may be wrong itself."""


class QuestionAnswers(NamedTuple):
    """Trusted workers' answers to a question, and the right ones among them."""

    known: int
    answers: int
    right: int

    @property
    def is_suspect(self) -> bool:
        return self.answers >= SUSPECT_FROM and 2 * self.right < self.answers


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The report on one task's stock, without retired questions."""

    task: Task
    forecast: StockForecast
    answers: int
    right: int
    """Both count only answers of trusted workers."""
    suspects: list[KnownQuestion]

    def count(self, purpose: KnownQuestion.Purpose) -> int:
        return self.forecast.counts[purpose]

    @property
    def mix(self) -> str:
        """The share of each right answer, in words."""
        names = [answer for kind in kinds_present(self.task, self.forecast.mix) for answer in answer_names(kind)]
        return ", ".join(f"{answer} {self.forecast.mix[answer]}" for answer in names)

    @property
    def one_button(self) -> str:
        """The best score of a worker who always gives the same answer, in words."""
        answer, share = one_button(self.task, self.forecast.mix)
        return f"{percent(share)} by always “{answer}”" if self.forecast.mix else "-"

    @property
    def share_right(self) -> str:
        """The share of right answers among those of trusted workers, in words."""
        return f"{percent(self.right / self.answers)} of {self.answers:,}" if self.answers else "no answers yet"

    @property
    def new_worker(self) -> str:
        """The number of assignments that the stock lasts a new worker, in words."""
        each = self.forecast.each
        return "any number" if each is None else f"{each:,}"

    @property
    def at_work(self) -> str:
        """The number of assignments until the first active worker has seen the whole stock, in words."""
        first, total, workers = self.forecast.first, self.forecast.total, len(self.forecast.left)
        if first is None:
            return "nobody"
        return f"{first:,}" if workers == 1 else f"{first:,} ({total:,} for all {workers:,})"


def known_reports(project_id: int, tasks: Sequence[Task] = ()) -> list[TaskReport]:
    """Report on each of these tasks, or of all, in as many statements as on one."""
    tasks = tasks or tasks_of_id(project_id)
    done = answered(project_id, tasks)
    wrong = [question.known for some in done.values() for question in some if question.is_suspect]
    suspects: dict[str, list[KnownQuestion]] = defaultdict(list)
    for known in KnownQuestion.objects.filter(id__in=wrong).select_related("image"):
        suspects[known.task].append(known)
    forecasts = known_forecasts(project_id, tasks)
    return [_report(forecasts[task], done[task], suspects[task.value]) for task in tasks]


def _report(forecast: StockForecast, done: list[QuestionAnswers], suspects: list[KnownQuestion]) -> TaskReport:
    total, right = sum(question.answers for question in done), sum(question.right for question in done)
    return TaskReport(forecast.task, forecast, total, right, suspects)


def answered(project_id: int, tasks: Sequence[Task]) -> dict[Task, list[QuestionAnswers]]:
    """Count trusted workers' answers to each verification question of these tasks that has some."""
    rows = trusted_judgments(project_id, current_settings(project_id)[1], "known").filter(
        known__project=project_id,
        known__task__in=tasks,
        known__retired_at=None,
        known__purpose=Purpose.VERIFICATION,
    )
    counted = rows.order_by().values("known__task", "known")
    counted = counted.annotate(answers=Count("id"), good=Count("id", filter=Q(right=True)))
    found: dict[Task, list[QuestionAnswers]] = {task: [] for task in tasks}
    for task, *row in counted.values_list("known__task", "known", "answers", "good"):
        found[Task(task)].append(QuestionAnswers(*row))
    return found
