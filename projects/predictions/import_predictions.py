"""Import the predictions of a program, JSON lines of phrases or COCO results, and enter them in the images' records."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from django.db.models import Q, QuerySet

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.states import ImageState
from evaluation.errors import InputError
from evaluation.reading.predictions.read_file import (
    BoxFormUse,
    ImagePhrases,
    NamedPhrase,
    Placed,
    check_form,
    checked,
    place,
    read_predictions,
)
from evaluation.reading.predictions.read_file import PlacedPredictions as FoundPhrases
from evaluation.reading.predictions.rows import read_row
from exchange.checks import Defect
from exchange.details import whole_box
from exchange.load_project import category_ids
from exchange.names import image_name, same_path
from pipeline.learning.refit import refit_of_programs
from pipeline.record.intervene import propose_boxes
from projects.models import ModelPrediction
from projects.operation import Output
from projects.runs import background_job
from runtime import clock
from runtime.runs import claimed, request
from workers.models import Worker

NOT_VISUAL = "notvisual"
MOST_BOXES = 10
"""Boxes of one phrase. A worker judges one at a time, and a bad one ends the row."""


@dataclass(slots=True)
class ProjectImage(ImagePhrases):
    """An image of the project. The number of a phrase is that of its mention."""

    id: int = 0
    finished: bool = False


def images_by_name(project: Project, names: Collection[str | int]) -> dict[str | int, ProjectImage]:
    """Return the images that these names mean, by the name that was asked for.

    A name is the path of the picture as it was imported, the image's name with or without the ending of a file, or its
    id in COCO files, as a number or as text.
    """
    ids = _ids_of(project, names)
    found: dict[int, ProjectImage] = {}
    for part in _parts(sorted(set(ids.values()))):
        found |= _read(part)
    return {name: found[number] for name, number in ids.items()}


def _ids_of(project: Project, names: Collection[str | int]) -> dict[str | int, int]:
    """Return the images' ids in the database; names of no image are left out."""
    rows = Image.objects.filter(project=project)
    told = [name for name in names if isinstance(name, str) and name.isascii()]
    if len(told) == len(names) <= IMAGES_PER_BATCH:
        # Written as they are stored, names are found without a look at every image of the project.
        keys = {*told, *map(_plain, told)}
        found = _resolved(rows.filter(Q(path__in=keys) | Q(name__in=keys)), names)
        if len(found) == len(names):
            return found
    return _resolved(rows, names)


def _resolved(rows: QuerySet[Image], names: Collection[str | int]) -> dict[str | int, int]:
    """Return those of these images' ids that the names mean: paths before names, and both before ids of COCO's."""
    by_path: dict[str, int] = {}
    by_name: dict[str, int] = {}
    by_coco: dict[str, int] = {}
    for image in rows.order_by("position").only("id", "path", "name", "position", "coco_id").iterator():
        by_path[same_path(image.path)] = by_name[same_path(image.name)] = image.pk
        by_coco[str(image.coco_number)] = image.pk
    by_path.pop("", None)
    found = {}
    for name in names:
        if isinstance(name, int):
            number = by_coco.get(str(name)) or by_name.get(str(name))
        else:
            told, plain = same_path(name), same_path(_plain(name))
            number = by_path.get(told) or by_name.get(told) or by_name.get(plain) or by_coco.get(name)
        if number is not None:
            found[name] = number
    return found


def _plain(name: str) -> str:
    try:
        return image_name(name)
    except Defect:
        return name


def _parts(ids: list[int]) -> Iterable[list[int]]:
    return (ids[start : start + IMAGES_PER_BATCH] for start in range(0, len(ids), IMAGES_PER_BATCH))


def _read(ids: list[int]) -> dict[int, ProjectImage]:
    rows = Image.objects.filter(id__in=ids).order_by()
    columns = ("id", "name", "width", "height", "state")
    images = {
        number: ProjectImage(name, width, height, id=number, finished=state == ImageState.MERGED.value)
        for number, name, width, height, state in rows.values_list(*columns)
    }
    chunks: dict[int, list[NamedPhrase]] = defaultdict(list)
    mentions = Mention.objects.filter(image_id__in=images).order_by()
    for image, number, caption, start, end, said, types in mentions.values_list(
        "image_id", "number", "caption__number", "start", "end", "text", "types"
    ):
        chunks[image].append(NamedPhrase(number, caption, start, end, said, tuple(types)))
    captions = Caption.objects.filter(image_id__in=images).exclude(non_visual=[]).order_by()
    for image, caption, spans, words in captions.values_list("image_id", "number", "non_visual", "words"):
        chunks[image] += [
            NamedPhrase(None, caption, start, end, " ".join(words[start:end]), (NOT_VISUAL,)) for start, end in spans
        ]
    for image, chunk in chunks.items():
        images[image].phrases = sorted(chunk, key=lambda one: (one.caption, one.start))
    return images


@dataclass(slots=True)
class Resolved:
    """All that was predicted for one image."""

    image: ProjectImage
    boxes: list[list[int]] = field(default_factory=list)
    """Rows of [mention, x0, y0, x1, y1], with the score in percent behind where there is one.

    They hold the best box of every phrase, then the second ones, and so on.
    """
    chains: list[list[int]] = field(default_factory=list)
    flags: dict[str, str] = field(default_factory=dict)
    """Of a data set that is being checked: by the number of a mention, why its chain has no box."""


@dataclass(slots=True)
class NamedImages:
    """The images of the project, and the names that none of them has."""

    images: list[Resolved] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""
    boxes_left_out: int = 0
    """Boxes behind the best ones of their phrase, which are left out."""
    cut: int = 0
    """Boxes that were cut at the edge of their picture."""
    left_out: list[str] = field(default_factory=list)
    """Boxes and phrases that cannot be used, with their places and the reasons."""
    cut_off: int = 0
    """Replies that end within a box."""


def resolved(phrases: FoundPhrases[ProjectImage]) -> NamedImages:
    """Return what was found as rows, without chunks that show nothing and boxes that rounding leaves no pixel."""
    rows = NamedImages(unknown=phrases.unknown, unused=phrases.unused, left_out=list(phrases.left_out))
    rows.cut, rows.cut_off = phrases.cut, phrases.cut_off
    for placed in phrases.images:
        rows.images.append(Resolved(placed.image, _boxes(placed, rows.left_out), _chains(placed)))
        rows.boxes_left_out += sum(max(0, len(boxes) - MOST_BOXES) for boxes in placed.boxes.values())
    return rows


def _boxes(placed: Placed[ProjectImage], left_out: list[str]) -> list[list[int]]:
    image = placed.image
    ranked = []
    for phrase, boxes in placed.boxes.items():
        for rank, placed_box in enumerate(boxes[:MOST_BOXES]):
            if phrase.number is not None:
                x0, y0, x1, y1 = placed_box.box
                where = f"image {image.name!r}, phrase {phrase.words!r}: box"
                try:
                    box = whole_box([x0, y0, x1 - x0, y1 - y0], image.width, image.height, where)
                except Defect as defect:
                    left_out.append(f"{defect.message}.")
                    continue
                ranked.append(
                    (rank, [phrase.number, *box, *([] if placed_box.percent is None else [placed_box.percent])])
                )
    return [row for _, row in sorted(ranked, key=lambda one: one[0])]


def _chains(placed: Placed[ProjectImage]) -> list[list[int]]:
    found = (
        sorted({mention.number for mention in chain if mention.number is not None}) for chain in placed.chains.values()
    )
    return [numbers for numbers in found if numbers]


PREDICTIONS_PER_BATCH = 100


def enter_predictions(project_id: int) -> int:
    """Enter all that is due in the project, and return how many images there were.

    An interruption between the entry and its note repeats one entry, which then changes nothing.
    """
    done, links = 0, False
    while rows := list(
        ModelPrediction.objects.filter(project=project_id, due=True).order_by("id")[:PREDICTIONS_PER_BATCH]
    ):
        for row in rows:
            propose_boxes(
                image_id=row.image_id,
                worker_id=row.program_id,
                boxes=row.boxes,
                chains=row.chains,
                flags=row.flags,
                actor=row.made_by,
            )
            # Newer predictions that came meanwhile are due again.
            ModelPrediction.objects.filter(pk=row.pk, created_at=row.created_at).update(due=False)
            done, links = done + 1, links or bool(row.chains)
    if links:
        refit_of_programs(project_id)
    return done


@background_job("projects.enter_predictions")
def enter_predictions_job(project_id: int) -> None:
    """Enter all predictions of the project that are due, unless another process does."""
    with claimed(_key(project_id)) as mine:
        if mine:
            enter_predictions(project_id)


def enter_soon(project_id: int) -> None:
    """Request the entry of all predictions of the project that are due."""
    request(enter_predictions_job, project_id, key=_key(project_id), share=f"entries of {project_id}")


def _key(project_id: int) -> str:
    return f"projects.predictions {project_id}"


LONGEST_NAME = 100
"""In characters, as in the column of workers."""
IMAGES_PER_BATCH = 500


class ProgramError(Exception):
    """The program's name cannot be used; the message says why."""


class StoredPredictions(Output):
    """A count of what was kept."""

    images: int
    boxes: int
    chains: int
    unchanged: int
    """Images that were predicted exactly so before."""
    unknown: list[str]
    """Names that no image of the project has."""
    unused: int
    """Boxes of a detector that fit no phrase."""
    boxes_left_out: int
    """Boxes behind the best ones of their phrase."""
    cut: int
    """Boxes that were cut at the edge of their picture."""
    left_out: list[str]
    """Boxes and phrases that cannot be used, with the reasons."""
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


def keep_predictions(project: Project, program: Worker, predictions: NamedImages, *, by: str = "") -> StoredPredictions:
    """Write the predictions; what was predicted so before stays untouched. They are due until they are entered."""
    counts = {"boxes": 0, "chains": 0, "unchanged": 0}
    for start in range(0, len(predictions.images), IMAGES_PER_BATCH):
        _keep_some(project, program, predictions.images[start : start + IMAGES_PER_BATCH], by, counts)
    return StoredPredictions(
        images=len(predictions.images),
        unknown=predictions.unknown,
        unused=predictions.unused,
        boxes_left_out=predictions.boxes_left_out,
        cut=predictions.cut,
        left_out=predictions.left_out,
        cut_off=predictions.cut_off,
        **counts,
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
    project: Project, program: str, images: FoundPhrases[ProjectImage], by: str, where: str = ""
) -> StoredPredictions:
    rows = resolved(images)
    if rows.left_out and not any(image.boxes or image.chains for image in rows.images):
        raise PredictionError(f"{where}{rows.left_out[0]}")
    try:
        return keep_predictions(project, program_named(program), rows, by=by)
    except ProgramError as error:
        raise PredictionError(str(error)) from error
