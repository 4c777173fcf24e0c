"""The phrases of an image, found by their place, by their words, or by the category of a detector."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.models import Image, Mention, Project
from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import MentionType
from annotation.rules.singular import singulars
from annotation.rules.states import ImageState
from exchange.names import image_name
from exchange.problems import Defect

AT_ONCE = 500
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
        found = [one for one in own if one.words.casefold() == words.casefold()]
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
    wanted = category.casefold().strip()
    if wanted in phrase.types or (wanted == PERSON and MentionType.PEOPLE in phrase.types):
        return True
    heads = singulars(head_noun(phrase.words.split()))
    return bool(wanted) and (wanted in heads or wanted.split()[-1] in heads)


def phrases_of(project: Project, names: Collection[str]) -> dict[str, ImagePhrases]:
    """Return the images that these names mean, by the name that was asked for: with or without the ending of a file."""
    plain = {name: _plain(name) for name in names}
    found: dict[str, ImagePhrases] = {}
    for part in _parts(sorted({*plain, *plain.values()})):
        found |= _read(project, part)
    both = {name: found.get(name) or found.get(plain[name]) for name in names}
    return {name: image for name, image in both.items() if image is not None}


def _plain(name: str) -> str:
    try:
        return image_name(name)
    except Defect:
        return name


def _parts(names: list[str]) -> Iterable[list[str]]:
    return (names[start : start + AT_ONCE] for start in range(0, len(names), AT_ONCE))


def _read(project: Project, names: list[str]) -> dict[str, ImagePhrases]:
    rows = Image.objects.filter(project=project, name__in=names).order_by()
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
    return {one.name: one for one in images.values()}
