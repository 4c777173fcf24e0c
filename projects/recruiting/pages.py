"""The page of recruiting: each platform with its offers, sessions and money; and a read of a platform on request."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.rules.states import ProjectState
from platforms.contract.terms import RecruitmentTerms
from platforms.models import Recruitment
from platforms.registry import PLATFORMS
from platforms.status import AUDIENCES, OfferedPlaces, PlatformFigures, status_of
from projects.access import managers_only, operation_page
from projects.operation_page import do_by_page
from projects.recruiting.offer_page import terms_in_words
from projects.recruiting.operations import read_platform
from projects.recruiting.places import ABOUT, name_of, platform_address, rows_at, why_off
from runtime.words import counted, money


@managers_only("GET", archived=True)
def recruit(request: HttpRequest, project: Project) -> HttpResponse:
    """Show where the project's work is offered, and how it goes there."""
    begun = {row.platform: row for row in Recruitment.objects.filter(project=project)}
    names = sorted(PLATFORMS.keys() | begun.keys(), key=lambda name: (name not in begun, name))
    context = {
        "project": project,
        "places": [platform_state(project, name, begun.get(name)) for name in names],
        "draft": project.state == ProjectState.DRAFT.value,
    }
    return render(request, "projects/recruiting/recruit.html", context)


@operation_page(read_platform, "POST")
def read(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Read the platform now."""
    do_by_page(read_platform, request, project, platform=platform)
    return redirect(platform_address(project, platform))


class StateFigure(NamedTuple):
    """A number of the state, which links to its rows."""

    value: str
    words: str
    url: str = ""


@dataclass(frozen=True)
class PlatformState:
    """One platform, and how recruiting stands there."""

    platform: str
    name: str
    about: str
    off: str
    """The reason why nothing can be offered, read or paid there; empty if the platform is set up."""
    recruitment: Recruitment | None = None
    warnings: list[StateFigure] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    figures: list[StateFigure] = field(default_factory=list)
    offers: list[tuple[str, str, int, int, int]] = field(default_factory=list)
    """Task, for whom, places open, not confirmed, taken."""
    links: list[str] = field(default_factory=list)
    terms: list[tuple[str, str]] = field(default_factory=list)


def platform_state(project: Project, platform: str, recruitment: Recruitment | None) -> PlatformState:
    """Return the state, from our own rows, without a call to the platform."""
    common: dict[str, Any] = {
        "platform": platform,
        "name": name_of(platform),
        "about": ABOUT.get(platform, ""),
        "off": why_off(platform),
    }
    if recruitment is None:
        return PlatformState(**common)
    status = status_of(platform, project.pk)
    return PlatformState(
        **common,
        recruitment=recruitment,
        warnings=list(_warnings(project, platform, status)),
        failures=status.failures,
        figures=list(_figures(project, platform, status)),
        offers=[_offered(offer) for offer in status.offers],
        links=status.links,
        terms=terms_in_words(RecruitmentTerms(**recruitment.terms)),
    )


def _warnings(project: Project, platform: str, status: PlatformFigures) -> Iterator[StateFigure]:
    if number := len(status.unearned):
        words = "handed in there and not finished here: approve or reject by hand."
        yield StateFigure(counted(number, "session"), words, rows_at("sessions", project, platform, "unearned"))
    if number := len(status.refused):
        words = f"refused by the platform, such as {status.refused[0]}"
        yield StateFigure(counted(number, "payment"), words, rows_at("payments", project, platform, "refused"))
    if status.stranded:
        words = "are owed to workers whose sessions never reached the platform: paid with their next session."
        yield StateFigure(money(sum(status.stranded.values()), status.currency), words)


def _figures(project: Project, platform: str, status: PlatformFigures) -> Iterator[StateFigure]:
    def sessions(show: str) -> str:
        return rows_at("sessions", project, platform, show)

    yield StateFigure(f"{status.at_work:,}", "at work", sessions("open"))
    waits = f", {status.not_arrived:,} of them not yet handed in there" if status.not_arrived else ""
    yield StateFigure(f"{status.handed_in:,}", f"handed in and not settled{waits}", sessions("waiting"))
    yield StateFigure(f"{status.settled:,}", "settled", sessions("settled"))
    yield StateFigure(f"{status.due:,}", "to be settled next")
    if status.sent:
        words = "sent without an answer: the next round asks about them"
        yield StateFigure(f"{status.sent:,}", words, rows_at("payments", project, platform, "sent"))
    yield StateFigure(
        money(status.paid_cents, status.currency), "paid, without fees", rows_at("payments", project, platform)
    )


def _offered(one: OfferedPlaces) -> tuple[str, str, int, int, int]:
    return one.task.label, AUDIENCES[one.kind], one.open, one.planned, one.taken
