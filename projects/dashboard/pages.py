"""The dashboard's page, its tables as files, and what workers said."""

from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime

from annotation.models import Project
from pipeline.learning.calibration_rows import calibration_rows
from pipeline.models import Entry, Judgment, Skip
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.image.machine import EntryKind
from pipeline.settings.settings import Settings
from projects.access import managers_only
from projects.chart import Chart, as_csv
from projects.crew import crew_of
from projects.dashboard.charts import charts
from projects.dashboard.figures import FigureGroup, read_figures
from projects.dashboard.machine import arrows_of, machine, rows
from projects.dashboard.needs import live_counts, needs_of, next_step, read_until
from projects.dashboard.operations import compare_prediction, predicted_of
from projects.dashboard.summary import summary
from projects.models import Looked
from projects.quality.calibration import calibration_chart
from runtime import clock
from workers.models import Worker

MAX_MESSAGES = 200
"""The number of each kind that the page shows, the oldest first."""


class WorkerMessage(NamedTuple):
    """One thing that a worker said."""

    at: datetime
    what: str
    worker: str
    image: int
    image_name: str
    text: str


def unread_messages(project: Project) -> list[WorkerMessage]:
    """Return what workers said since it was last read, the oldest first."""
    since = read_until(project.pk)
    later = {"created_at__gt": since} if since else {}
    return sorted([*_reports(project, later), *_skips(project, later), *_comments(project, later)])


def mark_read(project: Project, until: str, user: Any) -> None:
    """Note that everything up to this moment was read. A moment that is not a time, or in the future, counts as now."""
    try:
        wanted = parse_datetime(until)
    except ValueError:
        wanted = None
    now = clock.now()
    moment = now if wanted is None or wanted.tzinfo is None or wanted > now else wanted
    values = {"until": moment, "user": user if user.pk else None, "at": now}
    Looked.objects.update_or_create(project=project, defaults=values)


def _reports(project: Project, later: dict[str, Any]) -> list[WorkerMessage]:
    rows = Entry.objects.filter(project=project, kind=EntryKind.REPORT.value, **later).order_by("created_at")
    found = list(rows.values_list("created_at", "data", "actor", "image_id", "image__name", "reason")[:MAX_MESSAGES])
    names = dict(Worker.objects.filter(pk__in=[row[1].get("worker") for row in found]).values_list("pk", "name"))
    return [
        WorkerMessage(
            at, f"reported a wrong {data.get('what')}", names.get(data.get("worker"), actor), image, name, reason
        )
        for at, data, actor, image, name, reason in found
    ]


def _skips(project: Project, later: dict[str, Any]) -> list[WorkerMessage]:
    rows = Skip.objects.filter(question__project=project, **later).exclude(comment="").order_by("created_at")
    places = ("created_at", "reason", "worker__name", "question__image_id", "question__image__name", "comment")
    return [
        WorkerMessage(at, f"skipped a question ({why})", *rest)
        for at, why, *rest in rows.values_list(*places)[:MAX_MESSAGES]
    ]


def _comments(project: Project, later: dict[str, Any]) -> list[WorkerMessage]:
    rows = Judgment.objects.filter(assignment__project=project, **later).exclude(comment="").order_by("id")
    rows = rows.select_related("question__image", "known__image", "worker")[:MAX_MESSAGES]
    found = []
    for row in rows:
        asked = row.question or row.known
        if asked:
            found.append(
                WorkerMessage(
                    row.created_at, "commented", row.worker.name, asked.image_id, asked.image.name, row.comment
                )
            )
    return found


@managers_only("GET", replaced_by="projects:results")
def dashboard(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what needs a person, and how the work goes."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    live = live_counts(project.pk)
    compared = compare_prediction(project, figures, settings)
    drawn = machine(arrows_of(figures))
    made = {chart.name: chart for chart in _charts(figures, settings)}
    needs = needs_of(project, settings, figures)
    context = {
        "project": project,
        "needs": needs,
        "step": next_step(project, needs),
        "machine": drawn,
        "machine_rows": rows(drawn),
        "live": live,
        "summary": summary(figures, settings, live, predicted_of(compared)),
        "charts": made,
        "against": compared,
        "images": figures["images"].values if "images" in figures else {},
        "crew": crew_of(project, settings),
        "as_of": max((group.at for group in figures.values()), default=None),
        "oldest": min((group.at for group in figures.values()), default=None),
    }
    return render(request, "projects/dashboard/dashboard.html", context)


@managers_only("GET")
def chart_table(request: HttpRequest, project: Project, chart: str) -> HttpResponseBase:
    """Send the numbers of a chart as CSV: shares as fractions, times in UTC."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found = {chart.name: chart for chart in _charts(figures, settings)}
    if compared := compare_prediction(project, figures, settings):
        found[compared.chart.name] = compared.chart
    if chart not in found:
        raise Http404(f"There is no table {chart!r} yet.")
    return as_csv(project.name, found[chart])


@managers_only()
def worker_messages(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what workers reported and commented on since it was last read; POST says that it was read."""
    if request.method == "POST":
        mark_read(project, request.POST.get("until", ""), request.user)
        messages.success(request, "Noted: you have read these.")
        return redirect("projects:dashboard", name=project.name)
    context = {"project": project, "said": unread_messages(project), "now": clock.now()}
    return render(request, "projects/dashboard/words.html", context)


def _charts(figures: dict[str, FigureGroup], settings: Settings) -> list[Chart]:
    held = calibration_chart(calibration_rows(settings), settings)
    return [*charts(figures, settings), *([held] if held else [])]
