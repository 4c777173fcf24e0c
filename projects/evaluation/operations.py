"""The operation that makes a report on a project by the systems of the papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import PurePath
from typing import Annotated, Any, BinaryIO

from annotated_types import MaxLen
from pydantic import Field

from annotation.models import Project
from evaluation.reading.predictions.read_file import FORMAT_OF_SUFFIX as ENDINGS
from evaluation.reading.predictions.rows import FORMS
from projects.evaluation.archive import forget_leftovers, store_file
from projects.evaluation.overlay_page import EVALUATION
from projects.evaluation.sides import named
from projects.evaluation.steps import OFFERED, offered_step
from projects.evaluation.work import SCORE, SIDES, EvaluationInput, EvaluationResult, run_evaluation
from projects.models import Run
from projects.operation import AsOption, Caller, Choice, Input, MaxSize, Refused, SentFile, Work, operation
from projects.runs import RunRow, row_of, start

FILES = ("predictions", "against")
MAX_FILE = MaxSize(page=50 << 20, command=500 << 20)


class NewEvaluation(Input):
    step: Annotated[str, Choice([step.step for step in OFFERED]), Field(title="Report")]
    predictions: Annotated[SentFile, MAX_FILE, AsOption()] | None = None
    """Boxes: a phrase a line (.jsonl), or COCO results (.json). Sentences: an image a line (.jsonl)."""
    against: Annotated[SentFile, MAX_FILE, AsOption(), Field(title="Another model's predictions")] | None = None
    """For the difference between the two. Optional."""
    boxes: Annotated[str, Choice(("", *FORMS)), Field(title="Form of the boxes")] = ""
    scored: Annotated[str, MaxLen(200)] = ""
    """The side that is scored: outcome, gold, program NAME or worker NAME."""
    right: Annotated[str, MaxLen(200), Field(title="Against")] = ""
    """The side that counts as right, likewise."""
    name: Annotated[str, MaxLen(80), Field(title="Name of the model")] = ""
    unfinished: Annotated[bool, Field(title="Unfinished images too")] = False


def make_report(
    project: Project,
    caller: Caller,
    *,
    step: str,
    name: str,
    options: Mapping[str, Any],
    files: Mapping[str, tuple[str, BinaryIO]],
    unfinished: bool,
    seed: int = 0,
) -> RunRow:
    """Keep the files and begin a report by any step. Raises Refused while another one has not ended.

    `files`: the name and the content of each, by the option that names it.
    """
    assert begin_evaluation.work is not None
    if project.runs.filter(operation=EVALUATION, state__in=Run.OPEN).exists():
        raise Refused("busy", begin_evaluation.work.busy)
    forget_leftovers()
    usual = PurePath(files["predictions"][0]).stem if "predictions" in files else named(project, dict(options))
    kept = {option: store_file(project, content, _ending(path)) for option, (path, content) in files.items()}
    values = EvaluationInput(
        step=step,
        unfinished=unfinished,
        name=(name if name and "predictions" in files else usual)[:80],
        files=kept,
        options=dict(options),
        seed=seed,
    )
    return row_of(start(begin_evaluation, project, caller, values))


def _check(project: Project, given: NewEvaluation, reads: tuple[str, ...], *, compares: bool) -> None:
    """Raise Refused, at the field to blame, where the step needs another file or side."""

    def refuse(name: str, message: str) -> None:
        raise Refused("invalid", message, 400, field=name)

    if compares:
        for name in SIDES:
            if not getattr(given, name):
                refuse(name, "Choose one.")
        if given.scored == given.right:
            refuse("right", "Choose another one than the one that is scored.")
        try:
            named(project, {name: getattr(given, name) for name in SIDES})
        except ValueError as error:
            refuse("scored", str(error))
    for name in reads:
        file = getattr(given, name)
        if not file and name == reads[0]:
            refuse(name, "Choose the file that is to be scored.")
        elif file and _ending(file.name) not in ENDINGS:
            refuse(name, f"The name of the file must end in one of {', '.join(ENDINGS)}.")


def _ending(name: str) -> str:
    return PurePath(name).suffix.lower()


def _lines(run: Run) -> Iterator[str]:
    report = EvaluationResult.model_validate(run.result)
    yield f"{report.title}: {report.n:,} {report.unit}, {report.images:,} images."


@operation(
    name=EVALUATION,
    surveys=False,
    path="evaluations/",
    status=201,
    refusals=(409,),
    guide="../how-to/evaluate.md",
    say=lambda run: "The report is being made.",
    work=Work(do=run_evaluation, title="evaluation", lane="evaluation", page="projects:evaluate", say=_lines),
)
def begin_evaluation(project: Project, inputs: NewEvaluation, caller: Caller) -> RunRow:
    """Make a report on the project's export, by a system of the papers. One at a time."""
    step = offered_step(inputs.step)
    files = {name: file for name in step.given if (file := getattr(inputs, name))}
    _check(project, inputs, step.given, compares=step.compares)
    options: dict[str, Any] = {}
    if step.compares:
        options = {name: getattr(inputs, name) for name in SIDES}
    elif inputs.step == SCORE:
        options = {
            "form": ENDINGS[_ending(files["predictions"].name)],
            **({"boxes": inputs.boxes} if inputs.boxes else {}),
        }
    return make_report(
        project,
        caller,
        step=inputs.step,
        name=inputs.name,
        options=options,
        unfinished=inputs.unfinished,
        files={name: (file.name, BytesIO(file.data)) for name, file in files.items()},
    )
