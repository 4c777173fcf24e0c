"""The dashboard's page, its tables as files, and what workers said."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from annotation.models import Project
from pipeline.learning.calibration_rows import calibration_rows
from pipeline.project.settings_versions import current_settings
from pipeline.settings.settings import Settings
from projects.access import managers_only
from projects.calibration import calibration_chart
from projects.chart import Chart, as_csv
from projects.dashboard.charts import charts
from projects.dashboard.compare_prediction import compare_prediction, predicted_of
from projects.dashboard.figures.refresh import FigureGroup, read_figures
from projects.dashboard.live import live_counts
from projects.dashboard.machine import arrows_of, machine, rows
from projects.dashboard.needs import needs_of
from projects.dashboard.summary import summary
from projects.dashboard.words import mark_read, unread_messages
from runtime import clock
from workers.models import Access, Worker


@managers_only("GET", replaced_by="projects:results")
def dashboard(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what needs a person, and how the work goes."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    live = live_counts(project.pk)
    compared = compare_prediction(project, figures, settings)
    drawn = machine(arrows_of(figures))
    made = {chart.name: chart for chart in _charts(project, figures, settings)}
    context = {
        "project": project,
        "needs": needs_of(project, settings, figures),
        "machine": drawn,
        "machine_rows": rows(drawn),
        "live": live,
        "summary": summary(figures, settings, live, predicted_of(compared)),
        "charts": made,
        "against": compared,
        "images": figures["images"].values if "images" in figures else {},
        "simulated": not project.dry_run
        and Access.objects.filter(project=project, worker__kind=Worker.Kind.VIRTUAL.value).exists(),
        "as_of": max((group.at for group in figures.values()), default=None),
        "oldest": min((group.at for group in figures.values()), default=None),
    }
    return render(request, "projects/dashboard/dashboard.html", context)


@managers_only("GET")
def chart_table(request: HttpRequest, project: Project, chart: str) -> HttpResponseBase:
    """Send the numbers of a chart as CSV: shares as fractions, times in UTC."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found = {chart.name: chart for chart in _charts(project, figures, settings)}
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


def _charts(project: Project, figures: dict[str, FigureGroup], settings: Settings) -> list[Chart]:
    held = calibration_chart(calibration_rows(settings), settings)
    return [*charts(figures, settings), *([held] if held else [])]
