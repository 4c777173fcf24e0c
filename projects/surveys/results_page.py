"""The page of a survey's results, its live figures, and its votes as a file."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render

from accounts.events import Kind, record
from accounts.may import Action, may
from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.settings import SurveySettings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from projects.access import members_who, reviewers_only
from projects.chart import as_csv
from projects.dashboard.charts import charts
from projects.dashboard.end import days_or_hours
from projects.dashboard.figures.refresh import Group, read_figures
from projects.dashboard.needs import needs_of
from projects.dashboard.summary import Tile, spent_tiles
from projects.surveys.results import Results, question_rows, results_of
from runtime.downloads import download
from runtime.slow_reads import cached_read
from runtime.words import counted, money, percent
from surveys.votes import lines_of

PLACES_PER_PAGE = 12
readers_of_votes = members_who(Action.READ_RECORD, "download the votes, which say how each worker answered")
HOURS = 24


@reviewers_only("GET", only_surveys=True)
def results(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what the votes say, and how the work goes."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found, manages = _results(project, settings), may(request.user, Action.MANAGE, project)
    kinds = list(dict.fromkeys(kind for kind, _ in found.listed))
    kind = request.GET.get("kind", "")
    kind = kind if kind in kinds else ""
    places = [place for item_kind, place in found.listed if not kind or item_kind == kind]
    page = Paginator(places, PLACES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "is_captions": project.survey == Task.CAPTION_CHECK,
        "task": Task(project.survey),
        "manages": manages,
        "results": found,
        "progress": progress_tiles(found, figures),
        "money": money_tiles(project, found, figures, settings) if manages else [],
        "needs": needs_of(project, settings, figures) if manages else [],
        "pace": [chart for chart in charts(figures, settings) if chart.name == "hours"] if manages else [],
        "votes": settings.survey_votes,
        "kinds": kinds,
        "kind": kind,
        "page": page,
        "rows": question_rows(project, list(page.object_list)),
        "filters": f"&{urlencode({'kind': kind})}#listed",
    }
    return render(request, "projects/surveys/results.html", context)


@reviewers_only("GET", only_surveys=True)
def live(request: HttpRequest, project: Project) -> HttpResponse:
    """Return the figures that change while the page is open, by the names of their places on it."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found, manages = _results(project, settings), may(request.user, Action.MANAGE, project)
    tiles = progress_tiles(found, figures) + (money_tiles(project, found, figures, settings) if manages else [])
    texts = {f"tile.{tile.name}": tile.value for tile in tiles}
    needs = [need.to_json() for need in needs_of(project, settings, figures)] if manages else []
    return JsonResponse({"texts": texts, "needs": needs}, headers={"Cache-Control": "no-store"})


@reviewers_only("GET", only_surveys=True)
def table(request: HttpRequest, project: Project, chart: str) -> HttpResponseBase:
    """Send the numbers of a chart as CSV: shares as fractions."""
    found = {chart.name: chart for chart in _results(project, current_settings(project.pk)[1]).charts}
    if chart not in found:
        raise Http404(f"There is no table {chart!r}.")
    return as_csv(project.name, found[chart])


@readers_of_votes("GET", only_surveys=True)
def votes(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send the votes, one JSON object a line: the bytes that survey_export writes."""
    record(Kind.EXPORT, f"votes of {project.name}")
    return download(lines_of(project), f"{project.name}-votes.jsonl", "application/jsonl")


def _results(project: Project, settings: SurveySettings) -> Results:
    return cached_read(f"survey:{project.pk}", lambda: results_of(project, settings.survey_votes))


def progress_tiles(results: Results, figures: Mapping[str, Group]) -> list[Tile]:
    """Return how far the survey is, and how fast it goes."""
    share = percent(results.decided / results.questions if results.questions else None, 1)
    open_ones = results.questions - results.decided - results.given_up
    tiles = [
        Tile("decided", "Questions decided", share, f"{results.decided:,} of {results.questions:,}"),
        Tile(
            "open",
            "Open questions",
            f"{open_ones:,}",
            f"they need {counted(results.lacking, 'vote')} more" if open_ones else "",
        ),
    ]
    if results.given_up:
        tiles.append(Tile("given_up", "Given up", f"{results.given_up:,}", "nobody was left who could answer"))
    hours = figures["pace"].values["hours"][-HOURS:] if "pace" in figures else []
    day = sum(number for _, number in hours)
    tiles.append(Tile("votes", "Votes", f"{results.votes:,}", "that count"))
    if hours:
        about = "answers in the last 24 hours, verification questions included"
        tiles.append(Tile("rate", "Answers per hour", f"{day / HOURS:,.1f}", about))
        tiles.append(Tile("end", "Time to the end", *_end(results.lacking, day)))
    return tiles


def _end(lacking: int, day: int) -> tuple[str, str]:
    if not lacking:
        return "done", "every question is decided"
    if not day:
        return "unknown", "nobody answered in the last 24 hours"
    return f"about {days_or_hours(lacking * HOURS / day)}", "at the pace of the last 24 hours"


def money_tiles(project: Project, results: Results, figures: Mapping[str, Group], settings: Settings) -> list[Tile]:
    """Return what the survey costs; nothing before it was first computed."""
    if "money" not in figures:
        return []
    spent: Mapping[str, Any] = figures["money"].values
    task = Task(project.survey).value
    rest = results.lacking * settings.reward_cents[task] / settings.batch[task]
    about = f"an estimate: {counted(results.lacking, 'vote')} at the present reward"
    return [*spent_tiles(spent, settings), Tile("to_come", "To come", money(round(rest), settings.currency), about)]
