"""Import the predictions of a program from the content of a file: JSON lines of phrases, or COCO results."""

from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from annotation.models import Project
from evaluation.errors import InputError
from evaluation.reading.predictions.read_file import (
    BoxFormUse,
    check_form,
    checked,
    place,
    read_predictions,
)
from evaluation.reading.predictions.read_file import PlacedPredictions as FoundPhrases
from evaluation.reading.predictions.rows import read_row
from exchange.load_project import category_ids
from projects.models import ModelPrediction
from projects.predictions.phrases import NamedImages, ProjectImage, images_by_name, resolved
from runtime import clock
from workers.models import Worker

LONGEST_NAME = 100
"""In characters, as in the column of workers."""
IMAGES_PER_BATCH = 500


class ProgramError(Exception):
    """The program's name cannot be used; the message says why."""


class StoredPredictions(NamedTuple):
    """A count of what was kept."""

    images: int
    boxes: int
    chains: int
    unchanged: int
    """Images for which the program had predicted exactly this before."""
    unknown: tuple[str, ...]
    """Names of images that the project does not have."""
    unused: int
    """Boxes of a detector that fit no phrase."""
    boxes_left_out: int
    """Boxes behind the best ones of their phrase."""
    cut: int
    """Boxes that were cut at the edge of their picture."""
    left_out: tuple[str, ...]
    """Boxes and phrases that cannot be used, with their places and the reasons."""
    cut_off: int
    """Replies that end within a box; their complete boxes are kept."""


def check_program(name: str) -> None:
    """Raise ProgramError for a name that no program can have, or that is another worker's."""
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise ProgramError(f"A program's name has 1 to {LONGEST_NAME} printable characters; this one has {len(name)}.")
    if Worker.objects.filter(name=name).exclude(kind=Worker.Kind.PROGRAM).exists():
        raise ProgramError(f"{name!r} is the name of a worker who is not a program: choose another name.")


def program_named(name: str) -> Worker:
    """Return the program of this name, made if there is none. Raises ProgramError for a name that is another's."""
    check_program(name)
    return Worker.objects.get_or_create(name=name, defaults={"kind": Worker.Kind.PROGRAM})[0]


def keep_predictions(project: Project, program: Worker, found: NamedImages, *, by: str = "") -> StoredPredictions:
    """Write the predictions; what was predicted so before stays untouched. They are due until they are entered."""
    counts = {"boxes": 0, "chains": 0, "unchanged": 0}
    for start in range(0, len(found.images), IMAGES_PER_BATCH):
        _keep_some(project, program, found.images[start : start + IMAGES_PER_BATCH], by, counts)
    return StoredPredictions(
        len(found.images),
        counts["boxes"],
        counts["chains"],
        counts["unchanged"],
        tuple(found.unknown),
        found.unused,
        found.boxes_left_out,
        found.cut,
        tuple(found.left_out),
        found.cut_off,
    )


def _keep_some(project: Project, program: Worker, part: list[Any], by: str, counts: dict[str, int]) -> None:
    there = ModelPrediction.objects.filter(program=program, image_id__in=[placed.image.id for placed in part])
    before = {image: row for image, *row in there.values_list("image_id", "boxes", "chains", "due")}
    written = []
    for placed in part:
        counts["boxes"] += len(placed.boxes)
        counts["chains"] += len(placed.chains)
        boxes, chains, due = before.get(placed.image.id, ([], [], False))
        if placed.image.id in before and (boxes, chains) == (placed.boxes, placed.chains):
            counts["unchanged"] += 1
            continue
        written.append(
            ModelPrediction(
                project=project,
                program=program,
                image_id=placed.image.id,
                boxes=placed.boxes,
                chains=placed.chains,
                flags=placed.flags,
                # Empty lists take back what is left of earlier ones.
                due=(due or (placed.boxes, placed.chains) != (boxes, chains)) and not placed.image.finished,
                made_by=by[:150],
                created_at=clock.now(),
            )
        )
    ModelPrediction.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["project", "program", "image"],
        update_fields=["boxes", "chains", "flags", "due", "made_by", "created_at"],
    )


class PredictionError(Exception):
    """The predictions are not taken, none of them; the message names the place and the field."""


def import_predictions(
    project: Project, program: str, file: str, data: bytes, *, form: str = "", by: str = ""
) -> StoredPredictions:
    """Read, keep and enter predictions, all of them or none; but a box that cannot be used is cut or left out.

    `file`: its name, whose ending tells the kind. `form`: of its boxes; empty: as usual. Raises PredictionError.
    """
    name = PurePosixPath(file).name
    try:
        found = read_predictions(
            name, data, partial(images_by_name, project), categories=category_ids(project), form=form, spare=True
        )
    except InputError as refused:
        message = str(refused)
        # A sentence about the file goes on with its name, one about a place in it stands behind it.
        colon = "" if message.startswith(("ends in", "names", "holds")) else ":"
        raise PredictionError(f"{name}{colon} {message}") from refused
    return _keep(project, program, found, by, f"{name}: ")


def take_predictions(
    project: Project, program: str, rows: Sequence[Any], *, form: str = "", by: str = ""
) -> StoredPredictions:
    """Keep and enter rows that came by API, objects like the lines of a file, as `import_predictions` does.

    Raises PredictionError.
    """
    try:
        read = [read_row(row, f"predictions[{place}]") for place, row in enumerate(rows)]
        check_form(form, [box for row in read for box in row.boxes])
        images = images_by_name(project, {row.image for row in read})
        found = checked(place(read, images, BoxFormUse(form, spare=True)))
    except InputError as refused:
        message = str(refused)
        raise PredictionError(message if "]" in message else f"The call {message}") from refused
    return _keep(project, program, found, by)


def _keep(
    project: Project, program: str, found: FoundPhrases[ProjectImage], by: str, where: str = ""
) -> StoredPredictions:
    rows = resolved(found)
    if rows.left_out and not any(image.boxes or image.chains for image in rows.images):
        raise PredictionError(f"{where}{rows.left_out[0]}")
    try:
        return keep_predictions(project, program_named(program), rows, by=by)
    except ProgramError as error:
        raise PredictionError(str(error)) from error
