"""Import the predictions of a program from the content of a file: JSON lines of phrases, or COCO results."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from annotation.models import Project
from campaign.predictions.keep_predictions import Kept, ProgramError, keep_predictions, program_named
from campaign.predictions.phrases import ProjectImage, look_in, resolved
from evaluation.errors import InputError
from evaluation.reading.predictions.read_file import Found, checked, place_rows, read_predictions
from evaluation.reading.predictions.rows import read_row
from exchange.category_ids import category_ids
from exchange.problems import Defect


class PredictionError(Exception):
    """The predictions are not taken, none of them; the message names the place and the field."""


def import_predictions(project: Project, program: str, file: str, data: bytes, *, form: str = "", by: str = "") -> Kept:
    """Read, keep and enter predictions, all of them or none.

    `file`: its name, whose ending tells the kind. `form`: of its boxes; empty: as usual. Raises PredictionError.
    """
    name = PurePosixPath(file).name
    try:
        found = read_predictions(name, data, look_in(project), categories=category_ids(project), form=form)
    except InputError as refused:
        message = str(refused)
        # A sentence about the file goes on with its name, one about a place in it stands behind it.
        colon = "" if message.startswith(("ends in", "names", "holds")) else ":"
        raise PredictionError(f"{name}{colon} {message}") from refused
    return _keep(project, program, found, by, f"{name}: ")


def take_predictions(project: Project, program: str, rows: Sequence[Any], *, by: str = "") -> Kept:
    """Keep and enter rows that came by API, objects like the lines of a file; all of them or none.

    Raises PredictionError.
    """
    try:
        read = [read_row(row, f"predictions[{place}]") for place, row in enumerate(rows)]
        found = checked(place_rows(read, look_in(project)))
    except InputError as refused:
        raise PredictionError(str(refused)) from refused
    return _keep(project, program, found, by)


def _keep(project: Project, program: str, found: Found[ProjectImage], by: str, where: str = "") -> Kept:
    try:
        return keep_predictions(project, program_named(program), resolved(found), by=by)
    except Defect as defect:
        raise PredictionError(f"{where}{defect.message}.") from defect
    except ProgramError as error:
        raise PredictionError(str(error)) from error
