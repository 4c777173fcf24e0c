"""Import the predictions of a program from the content of a file: JSON lines of phrases, or a detector's COCO file."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from annotation.models import Project
from campaign.predictions.keep_predictions import Kept, ProgramError, keep_predictions, program_named
from campaign.predictions.read_coco import read_coco
from campaign.predictions.read_jsonl import read_jsonl, read_row
from campaign.predictions.resolve import Found, resolve_boxes, resolve_phrases
from exchange.category_ids import category_ids
from exchange.checks import parse_json
from exchange.problems import Defect
from exchange.read_text import decode

ENDINGS = (".jsonl", ".json")


class PredictionError(Exception):
    """The predictions are not taken, none of them; the message names the place and the field."""


def import_predictions(project: Project, program: str, file: str, data: bytes, *, by: str = "") -> Kept:
    """Read, keep and enter predictions, all of them or none.

    `file`: its name, whose ending tells the format. Raises PredictionError.
    """
    try:
        return _keep(project, program, _read(project, file, data), by)
    except Defect as defect:
        place = "" if defect.line is None else f" line {defect.line}"
        raise PredictionError(f"{PurePosixPath(file).name}{place}: {defect.message}.") from defect


def take_predictions(project: Project, program: str, rows: Sequence[Any], *, by: str = "") -> Kept:
    """Keep and enter rows that came by API, objects like the lines of a file; all of them or none.

    Raises PredictionError.
    """
    try:
        read = [read_row(row, f"predictions[{place}]") for place, row in enumerate(rows)]
        return _keep(project, program, _some(resolve_phrases(project, read)), by)
    except Defect as defect:
        raise PredictionError(f"{defect.message}.") from defect


def _keep(project: Project, program: str, found: Found, by: str) -> Kept:
    try:
        return keep_predictions(project, program_named(program), found, by=by)
    except ProgramError as error:
        raise PredictionError(str(error)) from error


def _read(project: Project, file: str, data: bytes) -> Found:
    ending = PurePosixPath(file).suffix.lower()
    if ending not in ENDINGS:
        raise Defect(f"ends in {ending!r}: predictions are .jsonl (phrases) or .json (COCO)")
    text = decode(data)
    found = (
        resolve_phrases(project, read_jsonl(text.split("\n")))
        if ending == ".jsonl"
        else resolve_boxes(project, read_coco(parse_json(text), category_ids(project)))
    )
    return _some(found)


def _some(found: Found) -> Found:
    """Return what was found. Raises Defect if there is nothing."""
    if not found.images:
        some = ", ".join(found.unknown[:3])
        raise Defect(f"names no image of the project{f', only others: {some}' if some else ''}")
    return found
