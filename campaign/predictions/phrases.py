"""The images of a project with their phrases, found by the names that files of predictions have for them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.states import ImageState
from evaluation.reading.predictions.image_phrases import ImagePhrases, Phrase
from evaluation.reading.predictions.read_file import Look
from exchange.names import image_name
from exchange.names_in_source import same_path
from exchange.problems import Defect

AT_ONCE = 500
NOT_VISUAL = "notvisual"


@dataclass(slots=True)
class ProjectImage(ImagePhrases):
    """An image of the project. The number of a phrase is that of its mention."""

    id: int = 0
    finished: bool = False


def look_in(project: Project) -> Look[ProjectImage]:
    """Return the function by which files of predictions find the project's images."""

    def look(names: Collection[str | int]) -> dict[str | int, ProjectImage]:
        return phrases_of(project, names)

    return look


def phrases_of(project: Project, names: Collection[str | int]) -> dict[str | int, ProjectImage]:
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
    by_path: dict[str, int] = {}
    by_name: dict[str, int] = {}
    by_coco: dict[str, int] = {}
    rows = Image.objects.filter(project=project).order_by("position")
    for image in rows.only("id", "path", "name", "position", "coco_id").iterator():
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
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))


def _read(ids: list[int]) -> dict[int, ProjectImage]:
    rows = Image.objects.filter(id__in=ids).order_by()
    columns = ("id", "name", "width", "height", "state")
    images = {
        number: ProjectImage(name, width, height, id=number, finished=state == ImageState.MERGED.value)
        for number, name, width, height, state in rows.values_list(*columns)
    }
    chunks: dict[int, list[Phrase]] = defaultdict(list)
    mentions = Mention.objects.filter(image_id__in=images).order_by()
    for image, number, caption, start, end, said, types in mentions.values_list(
        "image_id", "number", "caption__number", "start", "end", "text", "types"
    ):
        chunks[image].append(Phrase(number, caption, start, end, said, tuple(types)))
    captions = Caption.objects.filter(image_id__in=images).exclude(non_visual=[]).order_by()
    for image, caption, spans, words in captions.values_list("image_id", "number", "non_visual", "words"):
        chunks[image] += [
            Phrase(None, caption, start, end, " ".join(words[start:end]), (NOT_VISUAL,)) for start, end in spans
        ]
    for image, own in chunks.items():
        images[image].phrases = sorted(own, key=lambda one: (one.caption, one.start))
    return images
