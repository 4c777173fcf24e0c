"""Operations on forecasts of a project's cost and quality: begin one, see how far it is, read its figures, stop it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from pydantic import Field, RootModel, ValidationInfo, field_validator

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from projects.estimate import Estimate
from projects.forecast.expected import who_works
from projects.forecast.results import Way, ways_of
from projects.forecast.work import predict, predict_job
from projects.long_work import BusyError, begin, standing, stop
from projects.models import CampaignPrediction
from projects.models.long_work import RunState
from projects.operation import Caller, Choice, Input, NoInput, Output, Refused, Work, find_row, operation
from runtime.words import interval, percent
from simulation.crowd import CROWDS, WORKERS

MAX_LISTED = 20
"""The newest forecasts that a list shows."""
FIGURES = ("judgments", "hours", "cents", "exact")
PART = ("judgments", "hours", "cents")


class ForecastAssumptions(Input):
    """Assumptions about the workers and the programs."""

    workers: Annotated[int, Ge(1), Le(WORKERS), Field(title="Workers who begin")] | None = None
    """Workers who begin; empty: those who are invited or at work, or else 20 newcomers."""
    trusted: Annotated[int, Ge(0), Le(WORKERS), Field(title="Trusted among them, without a test")] | None = None
    """Those among them who are trusted from the start, and take no test; empty: those invited, if these are assumed."""
    crowd: Annotated[str, Choice(CROWDS), Field(title="Workers answer")] = "paper"
    """The errors of simulated workers."""
    bad_percent: Annotated[int, Ge(0), Le(90), Field(title="Bad workers among them, in percent")] = 0
    """Bad workers among them, in percent."""
    program_errors: Annotated[int, Ge(0), Le(50), Field(title="Errors of a model annotator, in percent")] | None = None
    """Errors of an imagined model annotator, in percent; empty: the programs at work, as measured."""
    good_percent: (
        Annotated[int, Ge(0), Le(100), Field(title="Good boxes of a program that proposes, in percent")] | None
    ) = None
    """Good boxes of an imagined program that proposes, in percent; empty: as the boxes tried so far."""
    sample: Annotated[int, Ge(2), Le(300), Field(title="Images to simulate")] = 30
    """Images to simulate, 2 to 300."""
    repetitions: Annotated[int, Ge(2), Le(10), Field(title="Times each is simulated")] = 2
    """Times each is simulated, 2 to 10."""

    @field_validator("trusted")
    @classmethod
    def _no_more_than_begin(cls, trusted: int | None, info: ValidationInfo) -> int | None:
        workers = info.data.get("workers")
        if workers is not None and (trusted or 0) > workers:
            raise ValueError(f"Only {workers} workers begin: trust that many at most")
        return trusted


class ForecastNumber(Input):
    forecast: int


class StopForecast(ForecastNumber):
    wish: Literal["stop"]


class ForecastRun(Output):
    id: int
    state: RunState
    done: int
    """Images simulated so far, over all ways to ask."""
    total: int
    problem: str
    """The reason why it failed."""
    settings_version: int
    """The version of the settings that it began from."""
    workers: int
    """Workers who begin."""
    trusted: int
    """Those among them who are trusted from the start."""
    crowd: str
    bad_percent: int
    program_errors: int | None
    good_percent: int | None
    sample: int
    repetitions: int


class ForecastRuns(RootModel[list[ForecastRun]]):
    pass


class PartOfForecast(Output):
    judgments: float
    hours: float
    cents: float


class ForecastWay(Output):
    words: list[str]
    changes: dict[str, Any]
    """Settings that this way changes, by name; as PATCH settings/ takes them."""
    current: bool
    """It asks as the project's settings do."""
    judgments: Estimate
    """Answers of every kind, with those to verification questions and tests."""
    hours: Estimate
    """Hours of work."""
    cents: Estimate
    exact: Estimate
    """The share of exactly right chains, 0 to 1."""
    by_task: dict[str, float]
    """Answers to real questions by task."""
    known: float
    """Answers to verification questions and in tests."""
    parts: dict[str, PartOfForecast]
    """The purposes of the answers: real and verification questions, probation, tests."""
    review: float
    """Chains that need an expert."""
    admitted: dict[str, float]
    """The share of workers who are admitted, by task, 0 to 1."""


class ForecastResult(Output):
    currency: str
    images: int
    finished: int
    """Images that were done: their answers count as they were."""
    sample: int
    now: ForecastWay
    """The present settings."""
    ways: list[ForecastWay]
    """Every way to ask that is registered."""


class ForecastRunWithResult(ForecastRun):
    result: ForecastResult | None
    """Null until the state is done."""


def _lines(row: CampaignPrediction) -> Iterator[str]:
    yield "Simulated; in brackets the 90 % interval."
    yield from map(_line, ways_of(row))


@operation(
    surveys=False,
    path="forecasts/",
    status=201,
    refusals=(409,),
    command="forecast",
    guide="../how-to/predict.md",
    say=lambda run: "The forecast is being made.",
    work=Work(CampaignPrediction, predict, _lines, lambda row: row.values),
)
def begin_forecast(project: Project, inputs: ForecastAssumptions, caller: Caller) -> ForecastRun:
    """Begin a forecast: a simulated crowd works on a sample of the project's images. One at a time."""
    values = inputs.model_dump() | who_works(project, inputs.workers, inputs.trusted)
    version = current_settings(project.pk)[0]
    try:
        row = begin(
            CampaignPrediction,
            predict_job,
            at_once=not caller.runs_command,
            project=project,
            user=caller.user,
            settings_version=version,
            **values,
        )
    except BusyError as error:
        raise Refused("busy_forecasting", str(error)) from error
    return ForecastRun.model_validate(row)


@operation(name="forecasts", surveys=True, path="forecasts/", method="get")
def list_forecasts(project: Project, inputs: NoInput, caller: Caller) -> ForecastRuns:
    """List the newest forecasts, the newest first, without their figures."""
    newest = project.campaign_predictions.defer("values").order_by("-id")[:MAX_LISTED]
    return ForecastRuns([ForecastRun.model_validate(row) for row in newest])


@operation(name="forecast", surveys=True, path="forecasts/<int:forecast>/", method="get")
def read_forecast(project: Project, inputs: ForecastNumber, caller: Caller) -> ForecastRunWithResult:
    """Return how far a forecast is; when it is done, its figures with 90 % intervals. All of it is simulated."""
    row = find_row(project.campaign_predictions.all(), inputs.forecast, "forecast")
    standing(row)  # which writes that it failed, if its process did
    return ForecastRunWithResult(**ForecastRun.model_validate(row).model_dump(), result=_result(row))


@operation(name="steer_forecast", surveys=True, path="forecasts/<int:forecast>/")
def stop_forecast(project: Project, inputs: StopForecast, caller: Caller) -> ForecastRun:
    """Stop a forecast. One that works stops after the present image; one that ended stays as it is."""
    row = find_row(project.campaign_predictions.all(), inputs.forecast, "forecast")
    stop(row)
    row.refresh_from_db()
    return ForecastRun.model_validate(row)


def _result(row: CampaignPrediction) -> ForecastResult | None:
    if row.state != CampaignPrediction.State.DONE:
        return None
    values = row.values
    return ForecastResult(
        currency=values["currency"],
        images=values["images"],
        finished=values["finished"],
        sample=values["sample"],
        now=_way(values["now"]),
        ways=[_way(way) for way in values["options"]],
    )


def _way(way: dict[str, Any]) -> ForecastWay:
    figures = {name: dict(zip(("value", "low", "high"), way[name], strict=True)) for name in FIGURES}
    parts = {name: dict(zip(PART, part, strict=True)) for name, part in way["parts"].items()}
    return ForecastWay.model_validate({**way, **figures, "parts": parts})


def _line(way: Way) -> str:
    judgments = "{:.0f} judgments ({:.0f} to {:.0f})".format(*way.judgments)
    hours = "{:.1f} h ({:.1f} to {:.1f})".format(*way.hours)
    exact = f"{percent(way.exact[0], 1)} of chains exact ({interval(way.exact[1], way.exact[2], 1)})"
    if way.labels:
        found = "{:.0f} ({:.0f} to {:.0f})".format(*way.labels["found"])
        exact = f"{found} of {way.labels['wrong'][0]:.0f} wrong labels found, {way.left:.0f} left"
    return f"{way.words}: {judgments}, {hours}, {way.money[0]}, {exact}"
