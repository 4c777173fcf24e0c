"""Work of model annotators as the page of models shows it, from the figures that are kept of the project."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from projects.models import Figures
from projects.quality.program_answers import SavedWork
from runtime.words import hours, money

PRICED = 1000
"""The answers that a requester says the cost of."""
SHORTEST = 0.1
"""Seconds; shorter times have no figure that a page shows."""
OF_KIND = {
    "boxes": "of people’s work on {} chains that its answers counted for, held against {} of the audit",
    "links": "of people’s work on the links of {} images that its answers counted for, held against {} of the audit",
}


class TaskWork(NamedTuple):
    """The answers of a program to one task, by what became of them."""

    task: str
    answers: int
    evidence: int
    audit: int
    aside: int
    waiting: int
    alike: int
    otherwise: int

    @property
    def held(self) -> int:
        """The answers to what people answered, too."""
        return self.alike + self.otherwise


class ProgramWork(NamedTuple):
    """The work of one program, in words where it is a sentence."""

    tasks: list[TaskWork]
    at: datetime
    whole: bool
    """Off: what became of the answers is told of the newest images alone."""
    saved: list[str]
    speed: str
    silence: str
    silent_until: datetime | None
    """The end of the newest silence; None: there was none."""

    @property
    def answers(self) -> int:
        return sum(task.answers for task in self.tasks)


def works_of(project_id: int, settings: Settings) -> dict[int, ProgramWork]:
    """Return the work of each program of the project, by its number; none before the figures were counted."""
    row = Figures.objects.filter(project_id=project_id, name="programs").first()
    return (
        {int(program): _work(values, row.computed_at, settings) for program, values in row.values.items()}
        if row
        else {}
    )


def cost_of(program: int, answers: int, settings: MoneySettings) -> str:
    """Return what a program's answers cost in words; "" if nobody has said what they cost."""
    cents = settings.program_cost_cents.get(str(program))
    if cents is None:
        return ""
    amount, each = (money(round(amount_cents), settings.currency) for amount_cents in (answers * cents / PRICED, cents))
    return f"{amount} for {answers:,} answers, at {each} for {PRICED:,}."


def _work(values: dict[str, Any], at: datetime, settings: Settings) -> ProgramWork:
    silences = [(datetime.fromisoformat(begin), datetime.fromisoformat(end)) for begin, end in values["silences"]]
    silent = sum((end - begin for begin, end in silences), timedelta())
    times = "once" if len(silences) == 1 else f"{len(silences)} times"
    return ProgramWork(
        [TaskWork(Task(task).label, *numbers) for task, *numbers in values["tasks"]],
        at,
        values["whole"],
        [_saved(kind, SavedWork(*found), settings) for kind, found in sorted(values["saved"].items())],
        speed_words(values["an_hour"], values["median"]),
        f"{times} for more than an hour while it could have answered, {hours(silent.total_seconds())} in all"
        if silences
        else "",
        silences[0][1] if silences else None,
    )


def _saved(kind: str, saved: SavedWork, settings: MoneySettings) -> str:
    time = f"{hours(saved.seconds)} ({hours(saved.least_seconds)} to {hours(saved.most_seconds)})"
    amount = ""
    if any(settings.reward_cents.values()):
        middle, least, most = (
            money(round(amount_cents), settings.currency)
            for amount_cents in (saved.cents, saved.least_cents, saved.most_cents)
        )
        amount = f" and {middle} ({least} to {most})"
    return f"{time}{amount} {OF_KIND[kind].format(f'{saved.number:,}', f'{saved.audit:,}')}."


def speed_words(an_hour: float | None, median: float | None) -> str:
    """Return the measured speed in words; empty: no time was measured."""
    if not median:
        return ""
    of_hour = f"{an_hour:,.0f} answers an hour while at work; " if an_hour else ""
    seconds = f"{median:,.1f} s" if median >= SHORTEST else f"below {SHORTEST} s"
    return f"{of_hour}{seconds} from a request to its answers (median)"
