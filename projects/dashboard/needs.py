"""Needs: what a person has to do in a project now, each with a count and the page where it is settled."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import ImageState, ProjectState
from pipeline.learning.calibration_rows import calibration_rows
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from projects.crew import only_others
from projects.dashboard.figures import FigureGroup, read_figures
from projects.dashboard.live import needs_counts, read_until
from projects.lifecycle.steps import NextStep, next_of_draft
from projects.quality.calibration import too_sure
from runtime.words import counted, money
from workers.models import Access

NEAR = 0.9
"""The share of the spend cap from which it is near."""


class NeedKind(StrEnum):
    """Kinds of what needs a person. Alerts are switched by them."""

    REVIEW = "review"
    WORDS = "words"
    APPEALS = "appeals"
    MESSAGES = "messages"
    STARVED = "starved"
    STOCK = "stock"
    BUDGET = "budget"
    PLATFORMS = "platforms"
    SIGNALS = "signals"
    PROGRAMS = "programs"


LABELS = {
    NeedKind.REVIEW: "Chains wait for an expert",
    NeedKind.WORDS: "Workers reported or commented on something",
    NeedKind.APPEALS: "Barred workers appeal",
    NeedKind.MESSAGES: "Messages of workers wait for an answer",
    NeedKind.STARVED: "Questions wait for other people",
    NeedKind.STOCK: "Verification questions are short",
    NeedKind.BUDGET: "The budget is near its end",
    NeedKind.PLATFORMS: "A platform refuses something",
    NeedKind.SIGNALS: "Signals of bad work",
    NeedKind.PROGRAMS: "A program makes the project too sure",
}
BUTTON_WORDS = {
    NeedKind.REVIEW: "Review chains",
    NeedKind.WORDS: "Read what workers said",
    NeedKind.APPEALS: "Decide appeals",
    NeedKind.MESSAGES: "Answer messages",
    NeedKind.STARVED: "Invite workers",
    NeedKind.STOCK: "Add known questions",
    NeedKind.BUDGET: "Look at the budget",
    NeedKind.PLATFORMS: "Look at the platforms",
    NeedKind.SIGNALS: "Look at the signals",
    NeedKind.PROGRAMS: "Look at the models",
}
"""The words of the button that leads to where a need is settled."""
EVERYTHING = [kind.value for kind in NeedKind]
"""The kinds of alerts that a new channel gets."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to do."""

    kind: NeedKind
    count: int
    words: str
    url: str

    @property
    def label(self) -> str:
        return LABELS[self.kind]


def needs_of(
    project: Project, settings: Settings | None = None, figures: Mapping[str, FigureGroup] | None = None
) -> list[Need]:
    """Return what needs a person, in the order of `NeedKind`. Stock and starved questions are as last computed."""
    counts = needs_counts(project.pk, read_until(project.pk))
    settings = settings or current_settings(project.pk)[1]
    stock = (figures if figures is not None else read_figures(project.pk)).get("stock")
    found = [*_of_counts(project, counts), *_of_budget(project, settings, counts)]
    found += _of_known_questions(project, stock.values if stock else {})
    found += _of_programs(project, settings)
    order = list(NeedKind)
    return sorted(found, key=lambda need: order.index(need.kind))


def next_step(project: Project, needs: Sequence[Need]) -> NextStep | None:
    """Return the step of a draft, else the first need. None: the menu's button, which starts or resumes the project."""
    state = ProjectState(project.state)
    if state is ProjectState.DRAFT:
        return next_of_draft(project)
    if state is ProjectState.PAUSED:
        return None
    if (
        not project.survey
        and project.images.exists()
        and not project.images.exclude(state=ImageState.MERGED.value).exists()
    ):
        return NextStep("Export the data set", reverse("projects:make_export", args=[project.name]))
    if needs:
        return NextStep(BUTTON_WORDS[needs[0].kind], needs[0].url)
    if state is ProjectState.RUNNING and not Access.objects.filter(project=project).exists():
        return NextStep("Invite workers", reverse("projects:invitations", args=[project.name]))
    return NextStep("Look at the images", reverse("gallery:project", args=[project.name]))


def _of_counts(project: Project, counts: Mapping[str, int]) -> Iterator[Need]:
    if number := counts["review"]:
        where = reverse("projects:review", args=[project.name])
        yield Need(NeedKind.REVIEW, number, counted(number, "chain"), where)
    said = {name: counts[name] for name in ("reports", "skips", "comments")}
    if number := sum(said.values()):
        words = ", ".join(counted(count, name[:-1]) for name, count in said.items() if count)
        yield Need(NeedKind.WORDS, number, words, reverse("projects:words", args=[project.name]))
    if number := counts["appeals"]:
        where = _workers(project, "appeal")
        yield Need(NeedKind.APPEALS, number, counted(number, "appeal"), where)
    if number := counts["messages"]:
        where = _workers(project, "message")
        yield Need(NeedKind.MESSAGES, number, counted(number, "conversation"), where)
    if number := counts["offers"] + counts["payments"]:
        words = ", ".join(counted(counts[name], name[:-1]) for name in ("offers", "payments") if counts[name])
        where = reverse("projects:recruit", args=[project.name])
        yield Need(NeedKind.PLATFORMS, number, words, where)
    if number := counts["signals"]:
        where = _workers(project, "signal")
        yield Need(NeedKind.SIGNALS, number, counted(number, "signal"), where)


def _of_budget(project: Project, settings: MoneySettings, counts: Mapping[str, int]) -> Iterator[Need]:
    cents, answers, currency = settings.spend_cap_cents, settings.answer_cap, settings.currency
    words = []
    if cents and counts["committed"] >= NEAR * cents:
        words.append(f"{money(counts['committed'], currency)} of {money(cents, currency)} are committed")
    if answers and counts["asked"] >= NEAR * answers:
        words.append(f"{counts['asked']:,} of {answers:,} answers are given or asked for")
    if words:
        yield Need(NeedKind.BUDGET, 1, "; ".join(words), reverse("projects:settings", args=[project.name]))


def _of_known_questions(project: Project, known: Mapping[str, Any]) -> Iterator[Need]:
    if number := known.get("starved", 0):
        where = reverse("projects:invitations", args=[project.name])
        yield Need(NeedKind.STARVED, number, only_others(number), where)
    short = {name: row for name, row in known.get("tasks", {}).items() if row["warnings"]}
    if short:
        words = "; ".join(f"{Task(name).label}: {row['warnings'][0].rstrip('.')}" for name, row in [*short.items()][:2])
        words += f"; and {counted(len(short) - 2, 'more task')}" if len(short) > 2 else ""
        where = reverse("projects:gold", args=[project.name])
        yield Need(NeedKind.STOCK, len(short), words, where)


def _of_programs(project: Project, settings: Settings) -> Iterator[Need]:
    if found := too_sure(calibration_rows(settings)):
        words = "; ".join(need.sentence for need in found)
        yield Need(NeedKind.PROGRAMS, len(found), words, reverse("projects:models", args=[project.name]))


def _workers(project: Project, needs: str) -> str:
    return f"{reverse('projects:workers', args=[project.name])}?needs={needs}"
