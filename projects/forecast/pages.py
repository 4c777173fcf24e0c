"""The page of the prediction: assumptions, progress, ways to ask, and the slider that leads to a change of settings."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.settings.settings import Settings
from projects.access import managers_only, operation_page, page_caller
from projects.chart import as_csv
from projects.crew import crew_of
from projects.forecast.operations import Expected, ForecastInput, begin_forecast, expected
from projects.forecast.results import (
    ForecastResult,
    Way,
    above_cap,
    best_by_cost,
    best_within,
    charts_of,
    everything,
    few,
    first_choice,
    result_of,
    saving_of,
    ways_of,
)
from projects.lifecycle.copies import IMAGES, dry_runs_of
from projects.models import Run
from projects.operation import Refused
from projects.operation_page import CheckedChoice, OperationForm, form_for
from projects.runs import row_of
from simulation.crowd import WORKERS

CROWD_WORDS = {
    "paper": "as in the paper",
    "table_3": "as in the paper, with twice the errors in links",
    "perfect": "without errors",
}
CROWD_CHOICES = [(name, CROWD_WORDS[name]) for name in CROWD_WORDS]
ForecastForm = form_for(
    begin_forecast, crowd=CheckedChoice(label="Workers answer", initial="paper", required=False, choices=CROWD_CHOICES)
)


def asking_who_works(form: OperationForm, invited: Expected) -> OperationForm:
    """Return the form, which needs the number of workers where nobody is expected."""
    form.fields["workers"].help_text = invited.words
    form.fields["workers"].required = not invited.workers
    return form


def first_form(newest: Run | None, invited: Expected) -> OperationForm:
    """Return the form with the last assumptions, and with the workers who are invited if there are any."""
    initial = dict(newest.input) if newest is not None else {}
    if newest is not None:
        initial["trusted"] = ForecastInput.model_validate(initial).all_trusted
    if invited.workers:
        initial |= {"workers": min(invited.workers, WORKERS), "trusted": min(invited.trusted, WORKERS)}
    return asking_who_works(ForecastForm(initial=initial), invited)


class BudgetForm(forms.Form):
    """The most that the work may take, as one number."""

    budget = forms.FloatField(label="Budget", min_value=0.01, max_value=1e9)
    unit = forms.ChoiceField(
        label="counted in", choices=[("judgments", "judgments"), ("hours", "hours"), ("money", "money")]
    )

    def __init__(self, *args: object, currency: str, **values: object) -> None:
        """`currency`: of the project; empty if it pays nothing."""
        super().__init__(*args, **values)  # type: ignore[arg-type]
        units = [("judgments", "judgments"), ("hours", "hours"), *([("money", currency)] if currency else [])]
        self.fields["unit"].choices = units  # type: ignore[attr-defined]

    @property
    def amount(self) -> tuple[float, str]:
        """Return the number, money in hundredths, and its unit."""
        budget, unit = self.cleaned_data["budget"], self.cleaned_data["unit"]
        return (100 * budget if unit == "money" else budget), unit


class PaceForm(forms.Form):
    """The days in which the work should be done, and the hours that a worker gives on each."""

    days = forms.FloatField(label="Days", min_value=0.5, max_value=1000, initial=14)
    hours = forms.FloatField(label="Hours a day, of each worker", min_value=0.1, max_value=24, initial=2)


SHOWN_DRY_RUNS = 5


@operation_page(begin_forecast, "GET", "POST")
def predict(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the newest forecast; POST begins one."""
    newest = _forecasts(project).first()
    invited = expected(project)
    if request.method != "POST":
        return _page(request, project, newest, first_form(newest, invited))
    form = asking_who_works(ForecastForm(request.POST), invited)
    if not form.is_valid():
        return _page(request, project, newest, form, status=400)
    try:
        begin_forecast(project, form.given, page_caller(request))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("projects:predict", name=project.name)


@managers_only("GET", surveys=False)
def forecast_table(request: HttpRequest, project: Project, chart: str) -> HttpResponseBase:
    """Send the numbers of a chart of the last complete prediction as CSV."""
    result = result_of(done) if (done := _complete(project)) else None
    ways = ways_of(result) if result else []
    tables = [*charts_of(ways, paid=result.paid), everything(ways)] if result else []
    found = {table_.name: table_ for table_ in tables}
    if chart not in found:
        raise Http404(f"There is no table {chart!r} yet.")
    return as_csv(project.name, found[chart])


def _forecasts(project: Project) -> QuerySet[Run]:
    return project.runs.filter(operation=begin_forecast.name)


def _complete(project: Project) -> Run | None:
    return _forecasts(project).filter(state=Run.State.DONE).first()


def _page(
    request: HttpRequest, project: Project, newest: Run | None, form: OperationForm, status: int = 200
) -> HttpResponse:
    done = newest if newest is not None and newest.state == Run.State.DONE else _complete(project)
    pace = PaceForm(request.GET) if "days" in request.GET else PaceForm()
    (version, settings), images = current_settings(project.pk), project.images.count()
    shown: dict[str, Any] = {
        "project": project,
        "form": form,
        "pace": pace,
        "newest": row_of(newest) if newest else None,
        "is_open": newest is not None and newest.is_open,
        "done": done,
        "images": images,
        "crew": crew_of(project, settings),
        "dry_runs": dry_runs_of(project)[:SHOWN_DRY_RUNS],
        "dry_images": min(IMAGES, images),
    }
    if done is not None:
        shown |= _results(request, project, done, pace, version, settings)
    return render(request, "projects/forecast/predict.html", shown, status=status)


def _results(
    request: HttpRequest, project: Project, done: Run, pace: PaceForm, version: int, settings: Settings
) -> dict[str, Any]:
    asked = pace.cleaned_data if pace.is_bound and pace.is_valid() else {"days": 14, "hours": 2}
    given, values = ForecastInput.model_validate(done.input), ForecastResult.model_validate(done.result)
    ways = ways_of(values)
    best = few(best_by_cost(ways[1:], paid=values.paid), ways[0])
    cap, invited = settings.spend_cap_cents, expected(project)
    assumed = given.all_trusted, given.new_workers
    wanted = request.GET.get("choice", "")
    place = int(wanted) if wanted.isdecimal() and len(wanted) < 5 else first_choice(best, ways[0])
    has_budget = "budget" in request.GET
    budget = BudgetForm(request.GET if has_budget else None, currency=values.currency if values.paid else "")
    amount = budget.amount if has_budget and budget.is_valid() else None
    if amount:
        place = best_within(best, *amount)

    def with_workers(some: list[Way]) -> list[tuple[Way, int | None]]:
        return [(way, way.workers(asked["days"], asked["hours"])) for way in some]

    return {
        "values": values,
        "given": given,
        "saving": saving_of(values),
        "ways": with_workers(ways),
        "shown": with_workers([ways[0], *best]),
        "best": [(way, way.cap(*amount) if amount else None) for way in best],
        "budget": budget,
        "beyond": amount is not None and best[0].cost(amount[1]) > amount[0],
        "above_cap": above_cap(ways[0].cents, cap, values.currency) if values.paid else "",
        "others_come": invited.words if invited.workers and invited[:2] != assumed else "",
        "choice": min(place, len(best) - 1),
        "now": ways[0],
        "charts": charts_of([ways[0], *best], paid=values.paid),
        "version": version,
        "moved": version != given.settings_version,
        "asked": asked,
        "crowd": CROWD_WORDS.get(given.crowd, given.crowd),
    }
