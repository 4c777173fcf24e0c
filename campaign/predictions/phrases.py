"""The phrases of an image, found by their place, by their words, or by the category of a detector."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from annotation.models import Image, Mention, Project
from annotation.rules.comparable import comparable
from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import MentionType
from annotation.rules.singular import singulars
from annotation.rules.states import ImageState
from exchange.names import image_name
from exchange.names_in_source import same_path
from exchange.problems import Defect

AT_ONCE = 500
Name = TypeVar("Name", str, str | int)
PERSON = "person"


class Phrase(NamedTuple):
    number: int
    caption: int
    start: int
    end: int
    words: str
    types: tuple[str, ...]


@dataclass(slots=True)
class ImagePhrases:
    """An image of the project with its phrases, in reading order."""

    id: int
    name: str
    width: int
    height: int
    finished: bool
    phrases: list[Phrase] = field(default_factory=list)

    def at(self, caption: int, start: int, end: int, where: str) -> Phrase:
        """Return the phrase of these words. Raises Defect if the caption has none there."""
        for one in self.phrases:
            if (one.caption, one.start, one.end) == (caption, start, end):
                return one
        raise Defect(f"{where}: caption {caption} of image {self.name!r} has no phrase of the words [{start}, {end})")

    def named(self, caption: int, words: str, where: str) -> Phrase:
        """Return the only phrase of the caption with these words. Raises Defect if there is none, or are several."""
        own = [one for one in self.phrases if one.caption == caption]
        wanted = _compared(words)
        found = [one for one in own if _compared(one.words) == wanted]
        if len(found) > 1:
            raise Defect(f"{where}: caption {caption} of image {self.name!r} has {words!r} twice: give 'words' instead")
        if not found:
            there = ", ".join(repr(one.words) for one in own) or "none"
            raise Defect(f"{where}: caption {caption} of image {self.name!r} has no phrase {words!r}; it has {there}")
        return found[0]

    def of_category(self, category: str) -> list[Phrase]:
        """Return the phrases that a detector's category can mean, such as "a brown dog" for dog."""
        return [one for one in self.phrases if fits_category(one, category)]


def fits_category(phrase: Phrase, category: str) -> bool:
    """Return whether the head noun of the phrase is the category, or its last word; every phrase of people is a person.

    A category that is the name of a type fits every phrase of the type.
    """
    wanted = _compared(category)
    if wanted in phrase.types or (wanted == PERSON and MentionType.PEOPLE in phrase.types):
        return True
    heads = singulars(head_noun(_compared(phrase.words).split()))
    return bool(wanted) and (wanted in heads or wanted.split()[-1] in heads)


def phrases_of(project: Project, names: Collection[Name]) -> dict[Name, ImagePhrases]:
    """Return the images that these names mean, by the name that was asked for.

    A name is the path of the picture as it was imported, the image's name with or without the ending of a file, or its
    id in COCO files, as a number or as text.
    """
    ids = _ids_of(project, names)
    found: dict[int, ImagePhrases] = {}
    for part in _parts(sorted(set(ids.values()))):
        found |= _read(part)
    return {name: found[number] for name, number in ids.items()}


def _ids_of(project: Project, names: Collection[Name]) -> dict[Name, int]:
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
            number = by_coco.get(str(name))
        else:
            told, plain = same_path(name), same_path(_plain(name))
            number = by_path.get(told) or by_name.get(told) or by_name.get(plain) or by_coco.get(name)
        if number is not None:
            found[name] = number
    return found


def _compared(words: str) -> str:
    return comparable(words.split()).casefold()


def _plain(name: str) -> str:
    try:
        return image_name(name)
    except Defect:
        return name


def _parts(ids: list[int]) -> Iterable[list[int]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))


def _read(ids: list[int]) -> dict[int, ImagePhrases]:
    rows = Image.objects.filter(id__in=ids).order_by()
    columns = ("id", "name", "width", "height", "state")
    images = {
        number: ImagePhrases(number, name, width, height, state == ImageState.MERGED.value)
        for number, name, width, height, state in rows.values_list(*columns)
    }
    mentions = Mention.objects.filter(image_id__in=images).order_by("image", "caption__number", "start")
    for image, number, caption, start, end, words, types in mentions.values_list(
        "image_id", "number", "caption__number", "start", "end", "text", "types"
    ):
        images[image].phrases.append(Phrase(number, caption, start, end, words, tuple(types)))
    return images
