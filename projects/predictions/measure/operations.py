"""Operations on measurements of programs: begin one, see how far it is, read its figures, stop it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from annotated_types import MaxLen
from pydantic import RootModel

from annotation.models import Project
from projects.estimate import Estimate
from projects.long_work import BusyError, stop
from projects.models import ModelMeasurement
from projects.models.long_work import RunState
from projects.operation import Caller, Input, NoInput, Output, Refused, Work, find_row, operation
from projects.predictions.import_predictions import LONGEST_NAME
from projects.predictions.measure.measurements import conclusion, settled
from projects.predictions.measure.work import NotMeasurableError, begin_measurement, measure
from workers.models import Worker

MAX_LISTED = 20
"""The newest measurements that a list shows."""
PLAIN = ("images", "with_gold", "pre_annotated", "kept", "unused", "currency")


class MeasuredProgram(Input):
    program: Annotated[str, MaxLen(LONGEST_NAME)]
    """The name of a program with predictions in the project."""


class MeasurementNumber(Input):
    measurement: int


class StopMeasurement(MeasurementNumber):
    wish: Literal["stop"]


class MeasurementRun(Output):
    program: str
    id: int
    state: RunState
    done: int
    """Images copied and finished so far, in both copies."""
    total: int
    doing: str
    """The present step, in words."""
    problem: str
    """The reason why it failed."""
    settings_version: int
    """The version of the settings that both copies have."""


class MeasurementRuns(RootModel[list[MeasurementRun]]):
    pass


class MeasuredFigure(Output):
    without: float | None
    """In the copy without predictions. Shares are 0 to 1."""
    with_program: float | None
    """In the copy with the program's predictions."""
    change: Estimate | None
    """Of answers, hours and cents a share of what they are without; of a share the difference."""


class MeasurementResult(Output):
    words: str
    """The conclusion."""
    images: int
    with_gold: int
    """Images whose right answers are gold; else workers found them."""
    pre_annotated: int
    """Boxes of the program that were tried."""
    kept: int
    unused: list[str]
    """Reasons why boxes or links count for nothing."""
    currency: str
    figures: dict[str, MeasuredFigure]
    """answers, linking and boxing of them, hours, cents, review; boxes_right, boxes_found, chains_exact."""


class MeasurementRunWithResult(MeasurementRun):
    result: MeasurementResult | None
    """Null until the state is done. All of it is simulated."""


def _lines(row: ModelMeasurement) -> Iterator[str]:
    yield conclusion(row.program.name, row.values)


@operation(
    name="begin_measurement",
    surveys=False,
    path="measurements/",
    status=201,
    refusals=(409,),
    command="measure_program",
    guide="../how-to/models.md#measure-a-program",
    say=lambda run: f"{run.program} is being measured.",
    work=Work(ModelMeasurement, measure, _lines, lambda row: row.values),
)
def measure_program(project: Project, inputs: MeasuredProgram, caller: Caller) -> MeasurementRun:
    """Measure a program: simulated workers annotate known images with it and without it. One at a time."""
    program = Worker.objects.filter(name=inputs.program, model_predictions__project=project).first()
    try:
        row = begin_measurement(project, program, caller.user, at_once=not caller.runs_command)
    except NotMeasurableError as error:
        raise Refused("invalid", str(error), 400, field="program") from error
    except BusyError as error:
        raise Refused("busy_measuring", str(error)) from error
    return _run(row)


@operation(name="measurements", surveys=False, path="measurements/", method="get")
def list_measurements(project: Project, inputs: NoInput, caller: Caller) -> MeasurementRuns:
    """List the newest measurements of programs, the newest first, without their figures."""
    rows = project.model_measurements.select_related("program").defer("values").order_by("-id")[:MAX_LISTED]
    return MeasurementRuns([_run(row) for row in rows])


@operation(name="measurement", surveys=False, path="measurements/<int:measurement>/", method="get")
def read_measurement(project: Project, inputs: MeasurementNumber, caller: Caller) -> MeasurementRunWithResult:
    """Return how far a measurement is; when it is done, its figures with 90 % intervals. All of it is simulated."""
    row = find_row(project.model_measurements.all(), inputs.measurement, "measurement")
    settled(row)  # which writes that it failed, if its process did
    return MeasurementRunWithResult(**_run(row).model_dump(), result=_result(row))


@operation(name="steer_measurement", surveys=False, path="measurements/<int:measurement>/")
def stop_measurement(project: Project, inputs: StopMeasurement, caller: Caller) -> MeasurementRun:
    """Stop a measurement, which leaves no copies. One that ended stays as it is."""
    row = find_row(project.model_measurements.all(), inputs.measurement, "measurement")
    stop(row)
    row.refresh_from_db()
    settled(row)
    return _run(row)


def _run(row: ModelMeasurement) -> MeasurementRun:
    names = ("id", "state", "done", "total", "doing", "problem", "settings_version")
    return MeasurementRun(program=row.program.name, **{name: getattr(row, name) for name in names})


def _result(row: ModelMeasurement) -> MeasurementResult | None:
    if row.state != ModelMeasurement.State.DONE:
        return None
    values = row.values
    return MeasurementResult(
        words=conclusion(row.program.name, values),
        figures={name: _figure(figure) for name, figure in values["figures"].items()},
        **{name: values[name] for name in PLAIN},
    )


def _figure(figure: dict[str, Any]) -> MeasuredFigure:
    change = figure["change"]
    names = ("value", "low", "high")
    return MeasuredFigure(
        without=_number(figure["without"]),
        with_program=_number(figure["with"]),
        change=None if change is None else Estimate(**dict(zip(names, change, strict=True))),
    )


def _number(value: float | list[float]) -> float | None:
    """Return a sum as it is, and a share as a number; None if there is nothing that it is a share of."""
    if isinstance(value, list):
        part, whole = value
        return part / whole if whole else None
    return value
