"""Needs: what a person has to do in a project now, each with its live count and the page where it is settled."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Count, F, QuerySet, Subquery
from django.urls import reverse

from annotation.models import Box, Chain, Image, Project
from annotation.rules.states import BoxState, ChainState, ImageState, ProjectState
from labelling.models import Conversation
from pipeline.learning.calibration_rows import calibration_rows
from pipeline.models import Entry, Judgment, Skip, Spending
from pipeline.project.open_questions import open_by_task
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from platforms.models import Offer, Payment
from projects.crew import only_others
from projects.dashboard.figures import FigureGroup, read_figures
from projects.lifecycle.change_state import NextStep, next_of_draft
from projects.models import Looked
from projects.quality.calibration import too_sure
from runtime.database import cached_read
from runtime.words import counted, money
from workers.models import Access, TrustStatus, WorkerSignal
from workers.rules.trust_states import TrustState


class CountOf(Subquery):
    """The number of rows of a query, as a column."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"


def count_all(project_id: int, queries: dict[str, QuerySet[Any]]) -> dict[str, int]:
    """Return the number of rows of each query, in one statement."""
    # Not under the bare names: "messages" is a relation of a project.
    columns = {f"count_{name}": CountOf(rows.order_by().values("pk")) for name, rows in queries.items()}
    found: dict[str, Any] = dict(Project.objects.filter(pk=project_id).values(**columns).get())
    return {name: found[f"count_{name}"] for name in queries}


NOTHING_COMMITTED = {"committed": 0, "asked": 0}


def needs_counts(project_id: int, since: datetime | None) -> dict[str, int]:
    """Count what needs a person. `since`: the requesters have read what workers said before."""
    later = {"created_at__gt": since} if since else {}
    said = Judgment.objects.filter(assignment__project=project_id, **later).exclude(comment="")
    offers = Offer.objects.filter(project_id=project_id).exclude(last_error="").exclude(state=Offer.State.ENDED)
    refused = Payment.objects.filter(session__offer__project=project_id, state=Payment.State.REFUSED)
    committed = {"committed": F("committed_cents"), "asked": F("committed_answers")}
    spent = Spending.objects.filter(project=project_id)
    counts = count_all(
        project_id,
        {
            "review": Chain.objects.filter(image__project=project_id, state=ChainState.REVIEW.value),
            "reports": Entry.objects.filter(project=project_id, kind=EntryKind.REPORT.value, **later),
            "skips": Skip.objects.filter(question__project=project_id, **later).exclude(comment=""),
            "comments": said,
            "appeals": TrustStatus.objects.filter(project_id=project_id, state=TrustState.BARRED.value, appealed=True),
            "messages": Conversation.objects.filter(project=project_id, waits_since__isnull=False),
            "offers": offers,
            "payments": refused,
            "signals": WorkerSignal.objects.filter(project_id=project_id, gone_at=None, dismissed_at=None),
        },
    )
    return counts | dict(spent.values(**committed).first() or NOTHING_COMMITTED)


def live_counts(project_id: int) -> dict[str, int]:
    """Return images and chains by state, and open questions by task."""
    images = Image.objects.filter(project=project_id).order_by().values_list("state").annotate(Count("id"))
    chains = cached_read(f"live_chains:{project_id}", lambda: _chains(project_id))
    boxes = Box.objects.filter(image__project=project_id, state=BoxState.PENDING.value)
    found = {f"image.{state.value}": 0 for state in ImageState} | {f"chain.{state.value}": 0 for state in ChainState}
    found |= {f"open.{task.value}": 0 for task in PROTOCOL_TASKS}
    found |= {f"image.{state}": number for state, number in images}
    found |= {f"chain.{state}": number for state, number in chains.items()}
    found |= {f"open.{task}": number for task, number in open_by_task(project_id).items()}
    return found | {"box.pending": boxes.count()}


def _chains(project_id: int) -> dict[str, int]:
    rows = Chain.objects.filter(image__project=project_id).order_by()
    return dict(rows.values_list("state").annotate(Count("id")))


def read_until(project_id: int) -> datetime | None:
    """Return the moment up to which the requesters have read what workers said."""
    return Looked.objects.filter(project=project_id).values_list("until", flat=True).first()


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
