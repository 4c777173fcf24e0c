"""The operation that measures what a program saves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from annotated_types import MaxLen

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from projects.models import Run
from projects.operation import Caller, Input, Refused, Work, operation
from projects.predictions.import_predictions import LONGEST_NAME
from projects.predictions.measure.copies import MEASUREMENT, delete_copies_of
from projects.predictions.measure.measurements import conclusion
from projects.predictions.measure.work import MeasurementResult, measure_predictions
from projects.runs import RunRow, row_of, start
from workers.models import Worker


class MeasuredProgram(Input):
    program: Annotated[str, MaxLen(LONGEST_NAME)]
    """The name of a program with predictions in the project."""


class MeasurementInput(MeasuredProgram):
    settings_version: int
    """The version of the settings that both copies have."""


def _lines(run: Run) -> Iterator[str]:
    yield conclusion(run.input["program"], MeasurementResult.model_validate(run.result))


@operation(
    name=MEASUREMENT,
    surveys=False,
    path="measurements/",
    status=201,
    refusals=(409,),
    command="measure_program",
    guide="../how-to/models.md#measure-a-program",
    say=lambda run: f"{run.input['program']} is being measured.",
    work=Work(
        do=measure_predictions,
        title="measurement",
        lane="measurement",
        page="projects:models",
        clean=delete_copies_of,
        say=_lines,
    ),
)
def measure_program(project: Project, inputs: MeasuredProgram, caller: Caller) -> RunRow:
    """Measure a program: simulated workers annotate known images with it and without it. One at a time."""
    if project.dry_run:
        message = "This is a dry run already: measure programs in the project itself."
        raise Refused("invalid", message, 400, field="program")
    if not Worker.objects.filter(name=inputs.program, model_predictions__project=project).exists():
        message = "This program has predicted nothing in this project."
        raise Refused("invalid", message, 400, field="program")
    version = current_settings(project.pk)[0]
    values = MeasurementInput(program=inputs.program, settings_version=version)
    return row_of(start(measure_program, project, caller, values))
