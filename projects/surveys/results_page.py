"""The page of a survey's results, and its votes as a file."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.events import Kind, record
from accounts.may import Action, may
from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.access import members_who, reviewers_only
from projects.chart import as_csv
from projects.dashboard.charts import charts
from projects.dashboard.figures.refresh import read_figures
from projects.dashboard.needs import needs_of
from projects.surveys.figures import money_tiles, progress_tiles, results_now
from projects.surveys.results import question_rows
from runtime.downloads import download
from surveys.votes import lines_of

PLACES_PER_PAGE = 12
readers_of_votes = members_who(Action.READ_RECORD, "download the votes, which say how each worker answered")


@reviewers_only("GET", only_surveys=True)
def results(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what the votes say, and how the work goes."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found, manages = results_now(project, settings), may(request.user, Action.MANAGE, project)
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
def table(request: HttpRequest, project: Project, chart: str) -> HttpResponseBase:
    """Send the numbers of a chart as CSV: shares as fractions."""
    found = {chart.name: chart for chart in results_now(project, current_settings(project.pk)[1]).charts}
    if chart not in found:
        raise Http404(f"There is no table {chart!r}.")
    return as_csv(project.name, found[chart])


@readers_of_votes("GET", only_surveys=True)
def votes(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send the votes, one JSON object a line: the bytes that survey_export writes."""
    record(Kind.EXPORT, f"votes of {project.name}")
    return download(lines_of(project), f"{project.name}-votes.jsonl", "application/jsonl")
