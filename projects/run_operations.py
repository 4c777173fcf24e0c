"""Operations on long work: list the runs of a project, see how far one is, and pause, resume or cancel it."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MaxLen
from pydantic import RootModel

from annotation.models import Project
from projects.models import Run
from projects.operation import Caller, Input, Refused, find_row, operation
from projects.runs import RunRow, resume, row_of, rows_of, stop, work_of

MAX_LISTED_RUNS = 20
"""The newest runs that a list shows."""


class RunsOf(Input):
    operation: Annotated[str, MaxLen(40)] = ""
    """Only runs of this operation, such as begin_import; empty: all."""


class RunNumber(Input):
    run: int


class SteerRun(RunNumber):
    wish: Literal["pause", "resume", "cancel"]


class RunRows(RootModel[list[RunRow]]):
    pass


@operation(
    name="runs",
    surveys=True,
    path="runs/",
    method="get",
)
def list_runs(project: Project, inputs: RunsOf, caller: Caller) -> RunRows:
    """List the newest runs of long work, the newest first, without their results."""
    runs = project.runs.filter(operation=inputs.operation) if inputs.operation else project.runs.all()
    return RunRows(rows_of(list(runs.defer("result").order_by("-id")[:MAX_LISTED_RUNS])))


@operation(
    name="run",
    surveys=True,
    path="runs/<int:run>/",
    method="get",
)
def read_run(project: Project, inputs: RunNumber, caller: Caller) -> RunRow:
    """Return how far long work is, and its result when it is done. Of images the result counts what there is so far."""
    return row_of(find_row(project.runs.all(), inputs.run, "run"))


@operation(
    surveys=True,
    path="runs/<int:run>/",
    refusals=(409,),
    command="run",
    say=lambda run: f"The work is {run.state}: {run.counts}.",
)
def steer_run(project: Project, inputs: SteerRun, caller: Caller) -> RunRow:
    """Pause, resume or cancel long work. A process that does it stops after the present step."""
    run = find_row(project.runs.all(), inputs.run, "run")
    if inputs.wish != "cancel" and not work_of(run).resumable:
        raise Refused("not_possible", "This work cannot be paused: cancel it, and begin it anew.")
    if inputs.wish == "resume":
        resume(run, caller.user)
    else:
        stop(run, Run.Request(inputs.wish))
    return row_of(run)
