"""The operation that makes a report on a project by the systems of the papers: its steps, and its work."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath
from typing import Annotated, Any, BinaryIO

import numpy as np
from annotated_types import MaxLen
from pydantic import BaseModel, Field

from annotation.models import Project
from annotation.storage import store
from evaluation.errors import InputError
from evaluation.reading.predictions.read_file import FORMAT_OF_SUFFIX as ENDINGS
from evaluation.reading.predictions.rows import FORMS
from evaluation.report import Report, ReportTable
from evaluation.steps import run_step, step_named
from evaluation.write_report import MAX_TABLE_ROWS, cell_text, figure_name
from exchange.export_dataset import export_dataset
from exchange.leftovers import workspace
from exchange.load_project import category_ids
from projects.evaluation.overlay_page import EVALUATION, LIST
from projects.evaluation.sides import (
    forget_leftovers,
    keep_report,
    named,
    read_side,
    store_file,
    write_outcome_boxes,
    write_side,
)
from projects.models import Run
from projects.operation import (
    AsOption,
    Caller,
    CannotBeDone,
    Choice,
    Input,
    MaxSize,
    Output,
    Progress,
    Refused,
    SentFile,
    Work,
    operation,
)
from projects.runs import RunRow, row_of, start

EXPORTING, SCORING = "Exporting the images", "Scoring"
SCORE, COREFERENCE = "localization score", "coreference score"
SIDES = {"scored": "response", "right": "gold"}
"""The sides of a comparison, and the options of coreference that name their files."""
NOTHING = "No image is finished yet: tick “unfinished images too”, or wait until some are."
EMPTY = "This project has no images yet."


class EvaluationInput(BaseModel):
    """The step, its files and its options."""

    step: str
    """System and step, such as "localization baselines"."""
    unfinished: bool
    name: str
    """The name of the model that is scored, or of both sides."""
    files: dict[str, str]
    """Uploaded files: their names in storage, by option of the step."""
    options: dict[str, Any]
    """Other options of the step, by name."""
    seed: int = 0


class EvaluationResult(Output):
    """The report, as its page shows it."""

    images: int
    """Images in the export."""
    title: str
    n: int
    unit: str
    notes: list[str]
    compared: list[dict[str, str]]
    missing: list[dict[str, str]]
    tables: list[dict[str, Any]]
    charts: list[dict[str, str]]
    files: list[str]
    overlays: bool
    """It lists phrases with their boxes."""


def run_evaluation(run: Run, progress: Progress) -> EvaluationResult:
    """Export the project, make the report, and keep its files.

    Raises CannotBeDone for input that the step refuses, and Stopped if the requester stopped it.
    """
    project, given = run.project, EvaluationInput.model_validate(run.input)
    with workspace() as folder:
        images = _export(project, given, folder / "export", progress)
        options = _options(project, given, folder)
        data = _add_sides(project, given, folder, options)
        try:
            report = run_step(
                step_named(given.step),
                data=data,
                out=folder / "report",
                options=options,
                seed=given.seed,
                progress=lambda done, total, words: progress.advance(done, total, words or SCORING),
            )
        except InputError as refused:
            # A requester knows the file by its own name, not by where it is read.
            raise CannotBeDone(str(refused).replace(f"{folder}/", "")) from refused
        keep_report(run, folder / "report", folder)
        return report_values(report, images)


def _export(project: Project, inputs: EvaluationInput, target: Path, progress: Progress) -> int:
    finished = project.images.filter(state="merged").count()
    total = project.images.count() if inputs.unfinished else finished
    if not total:
        raise CannotBeDone(EMPTY if inputs.unfinished else NOTHING)

    export_dataset(
        project=project,
        target=target,
        export_format="flickr30k-entities",
        include_unmerged=inputs.unfinished,
        step=lambda: progress.advance(progress.done + 1, total, EXPORTING),
        card=False,  # only the evaluation reads it
    )
    return total


def _names(project: Project, file: Path) -> Path:
    """Write the names of the images and categories by their ids in COCO files, as files of models use them."""
    images = [
        {"id": image.coco_number, "file_name": image.path or image.name, "name": image.name}
        for image in project.images.only("position", "coco_id", "path", "name").order_by("position")
    ]
    categories = [{"id": number, "name": name} for number, name in category_ids(project).items()]
    file.write_text(json.dumps({"images": images, "categories": categories}), encoding="utf-8")
    return file


def _options(project: Project, inputs: EvaluationInput, folder: Path) -> dict[str, Any]:
    """Return the options of the step. Uploaded files are copied from storage into the folder."""
    options = dict(inputs.options)
    if inputs.files and inputs.step == SCORE:
        options["names"] = _names(project, folder / "names.json")
    for option, name in inputs.files.items():
        options[option] = folder / f"{option}{Path(name).suffix}"
        with store().open(name) as kept, options[option].open("wb") as copy:
            shutil.copyfileobj(kept, copy)
    return options


def _add_sides(project: Project, inputs: EvaluationInput, folder: Path, options: dict[str, Any]) -> Path:
    """Write what is compared, and name the files in the options. Returns the data of the step.

    Of coreference both sides are files. Of localization the right answers are the data, and the outcome's boxes are
    the predictions. Raises CannotBeDone for a side that the project does not have any more.
    """
    export = folder / "export"
    asked = {role: options.pop(role) for role in SIDES if role in options}
    if not asked:
        return export
    images = project.images.order_by("position")
    if not inputs.unfinished:
        images = images.filter(state="merged")
    ids = list(images.values_list("pk", flat=True))
    try:
        sides = {role: read_side(project, text) for role, text in asked.items()}
    except ValueError as error:
        raise CannotBeDone(str(error)) from error
    written = {role: write_side(side, project, ids, folder, export) for role, side in sides.items()}
    if inputs.step == SCORE:
        options["predictions"] = folder / "outcome.jsonl"
        write_outcome_boxes(ids, options["predictions"])
        return Path(written["right"]["file"])
    for role, option in SIDES.items():
        options[option] = written[role]["file"]
        options[f"{option}_worker"] = written[role].get("worker")
    return export


def report_values(report: Report, images: int) -> EvaluationResult:
    """Return everything of the report that its page shows, rounded as there."""
    return EvaluationResult(
        images=images,
        title=report.title,
        n=report.n,
        unit=report.unit,
        notes=list(report.notes),
        compared=[
            _compared(report, comparison.figure, comparison.paper, comparison.remark) for comparison in report.compared
        ],
        missing=[{"row": row, "needs": needs} for row, needs in report.missing.items()],
        tables=[_table(table) for table in report.tables],
        charts=[{"name": chart.name, "title": chart.title} for chart in report.charts],
        files=sorted(report.files),
        overlays=any(f"{table.name}.csv" == LIST for table in report.tables),
    )


def _compared(report: Report, figure: str, paper: float, remark: str) -> dict[str, str]:
    ours = report.figures.get(figure)
    return {
        "figure": figure_name(figure),
        "ours": "" if ours is None else cell_text(_plain(ours)),
        "paper": f"{paper:g}",
        "remark": remark,
    }


def _table(table: ReportTable) -> dict[str, Any]:
    rows = [[cell_text(_plain(cell)) for cell in row] for row in table.rows[:MAX_TABLE_ROWS]] if table.on_page else []
    return {
        "name": table.name,
        "title": table.title,
        "columns": list(table.columns),
        "rows": rows,
        "more": len(table.rows) - len(rows),
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True, slots=True)
class OfferedStep:
    """A step of an evaluation."""

    step: str
    title: str
    words: str
    given: tuple[str, ...] = ()
    """The options that name uploaded files; the first one is required."""
    compares: bool = False
    """Whether it compares two sides of the project."""

    @property
    def reads(self) -> str:
        """The names of the fields of the page that it reads."""
        if self.compares:
            return "scored right"
        boxes = ["boxes"] if self.step == "localization score" else []
        return " ".join([*self.given, *boxes, "name"] if self.given else [])


OFFERED = (
    OfferedStep(
        "localization baselines",
        "Phrase localization: baselines",
        "How many phrases boxes find that need no model: how hard these images are.",
    ),
    OfferedStep(
        "localization score",
        "Phrase localization: a model's boxes",
        "Recall of your model's boxes by type of phrase, with intervals, and the hardest phrases.",
        ("predictions", "against"),
    ),
    OfferedStep(
        "content_selection baselines",
        "Content selection: baselines",
        "Which things people mention: people against each other, and simple ways to choose boxes.",
    ),
    OfferedStep(
        "content_selection score",
        "Content selection: a system's choice",
        "How well your system's sentences or chosen boxes agree with what people mention.",
        ("predictions",),
    ),
    OfferedStep(
        "coreference score",
        "Coreference of chains",
        "MUC, B³, CEAF, BLANC, LEA, CoNLL: the outcome, a program's chains or a worker's links against any other.",
        compares=True,
    ),
    OfferedStep(
        "foil generate",
        "FOIL: captions with one wrong word",
        "Captions of this project with one noun exchanged for another, for models and people to find.",
    ),
)


def offered_step(step: str) -> OfferedStep:
    """Return the step as it is offered; one that only the command offers has its own name and words."""
    found = {offered.step: offered for offered in OFFERED}
    return found.get(step) or OfferedStep(step, step.replace("_", " "), step_named(step).words)


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


def _check(project: Project, inputs: NewEvaluation, reads: tuple[str, ...], *, compares: bool) -> None:
    """Raise Refused, at the field to blame, where the step needs another file or side."""

    def refuse(name: str, message: str) -> None:
        raise Refused("invalid", message, 400, field=name)

    if compares:
        for name in SIDES:
            if not getattr(inputs, name):
                refuse(name, "Choose one.")
        if inputs.scored == inputs.right:
            refuse("right", "Choose another one than the one that is scored.")
        try:
            named(project, {name: getattr(inputs, name) for name in SIDES})
        except ValueError as error:
            refuse("scored", str(error))
    for name in reads:
        file = getattr(inputs, name)
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
