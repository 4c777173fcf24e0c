"""Work on an evaluation: export the project, run the step on the export, and keep the report."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from annotation.models import Project
from annotation.storage import store
from evaluation.errors import InputError
from evaluation.report import Report, ReportTable
from evaluation.steps import run_step, step_named
from evaluation.write_report import MAX_TABLE_ROWS, cell_text, figure_name
from exchange.export_dataset import export_dataset
from exchange.leftovers import workspace
from exchange.load_project import category_ids
from projects.evaluation.archive import keep_report
from projects.evaluation.overlay_page import LIST
from projects.evaluation.sides import read_side, write_outcome_boxes, write_side
from projects.models import Run
from projects.operation import Output
from projects.progress import CannotBeDone, Progress

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


def _export(project: Project, given: EvaluationInput, target: Path, progress: Progress) -> int:
    finished = project.images.filter(state="merged").count()
    total = project.images.count() if given.unfinished else finished
    if not total:
        raise CannotBeDone(EMPTY if given.unfinished else NOTHING)

    export_dataset(
        project=project,
        target=target,
        export_format="flickr30k-entities",
        include_unmerged=given.unfinished,
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


def _options(project: Project, given: EvaluationInput, folder: Path) -> dict[str, Any]:
    """Return the options of the step. Uploaded files are copied from storage into the folder."""
    options = dict(given.options)
    if given.files and given.step == SCORE:
        options["names"] = _names(project, folder / "names.json")
    for option, name in given.files.items():
        options[option] = folder / f"{option}{Path(name).suffix}"
        with store().open(name) as kept, options[option].open("wb") as copy:
            shutil.copyfileobj(kept, copy)
    return options


def _add_sides(project: Project, given: EvaluationInput, folder: Path, options: dict[str, Any]) -> Path:
    """Write what is compared, and name the files in the options. Returns the data of the step.

    Of coreference both sides are files. Of localization the right answers are the data, and the outcome's boxes are
    the predictions. Raises CannotBeDone for a side that the project does not have any more.
    """
    export = folder / "export"
    asked = {role: options.pop(role) for role in SIDES if role in options}
    if not asked:
        return export
    images = project.images.order_by("position")
    if not given.unfinished:
        images = images.filter(state="merged")
    ids = list(images.values_list("pk", flat=True))
    try:
        sides = {role: read_side(project, text) for role, text in asked.items()}
    except ValueError as error:
        raise CannotBeDone(str(error)) from error
    written = {role: write_side(side, project, ids, folder, export) for role, side in sides.items()}
    if given.step == SCORE:
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
