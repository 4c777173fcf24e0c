"""The images of a project with their phrases, found by the names that files of predictions have for them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.states import ImageState
from evaluation.reading.predictions.read_file import ImagePhrases, NamedPhrase, Placed
from evaluation.reading.predictions.read_file import PlacedPredictions as FoundPhrases
from exchange.checks import Defect
from exchange.details import whole_box
from exchange.names import image_name, same_path

IMAGES_PER_BATCH = 500
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


def resolved(found: FoundPhrases[ProjectImage]) -> NamedImages:
    """Return what was found as rows, without chunks that show nothing and boxes that rounding leaves no pixel."""
    rows = NamedImages(unknown=found.unknown, unused=found.unused, left_out=list(found.left_out))
    rows.cut, rows.cut_off = found.cut, found.cut_off
    for placed in found.images:
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
