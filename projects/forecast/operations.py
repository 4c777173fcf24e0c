"""The operation that forecasts a project's cost and quality."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from projects.forecast.assumptions import ForecastAssumptions, ForecastInput
from projects.forecast.expected import who_works
from projects.forecast.make_forecast import make_forecast
from projects.forecast.results import Way, result_of, saving_of, ways_of
from projects.models import Run
from projects.operation import Caller, Work, operation
from projects.runs import RunRow, row_of, start
from runtime.words import counted, interval, percent


def _counts(run: Run) -> str:
    """Return how far a forecast is, over all ways to ask."""
    if not run.total:
        return "Waiting for its turn."
    return f"{run.done:,} of {counted(run.total, 'image')}, over all ways to ask."


def _lines(run: Run) -> Iterator[str]:
    result = result_of(run)
    assert result is not None
    yield "Simulated; in brackets the 90 % interval."
    ways = ways_of(result)
    yield from map(_line, ways)
    if ways[0].negative:
        yield ways[0].negative
    saving = saving_of(result)
    if saving is not None:
        for words, way in saving.rows:
            yield f"{words}, {_line(way)}"


def _line(way: Way) -> str:
    judgments = "{:.0f} judgments ({:.0f} to {:.0f})".format(*way.judgments)
    hours = "{:.1f} h ({:.1f} to {:.1f})".format(*way.hours)
    exact = f"{percent(way.exact[0], 1)} of chains exact ({interval(way.exact[1], way.exact[2], 1)})"
    if way.labels:
        found = "{:.0f} ({:.0f} to {:.0f})".format(*way.labels["found"])
        exact = f"{found} of {way.labels['wrong'][0]:.0f} wrong labels found, {way.left:.0f} left"
    return f"{way.words}: {judgments}, {hours}, {way.money[0]}, {exact}"


@operation(
    surveys=False,
    path="forecasts/",
    status=201,
    refusals=(409,),
    command="forecast",
    guide="../how-to/predict.md",
    say=lambda run: "The forecast is being made.",
    work=Work(
        do=make_forecast,
        title="forecast",
        lane="forecast",
        page="projects:predict",
        counts=_counts,
        say=_lines,
    ),
)
def begin_forecast(project: Project, inputs: ForecastAssumptions, caller: Caller) -> RunRow:
    """Begin a forecast: a simulated crowd works on a sample of the project's images. One at a time."""
    values = inputs.model_dump() | who_works(project, inputs.workers, inputs.trusted)
    version = current_settings(project.pk)[0]
    return row_of(start(begin_forecast, project, caller, ForecastInput(settings_version=version, **values)))
