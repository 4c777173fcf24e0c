"""Predictions for the phrases of a data set, from a file in the form that is read everywhere."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from evaluation.errors import InputError
from evaluation.reading.json_lines import Id
from evaluation.reading.picture import Box, Picture
from evaluation.reading.predictions.image_phrases import ImagePhrases, NamedPhrase
from evaluation.reading.predictions.read_file import read_predictions as read_file

Key = tuple[str, int, int]
"""Image, caption, phrase."""
FILES = ("jsonl", "coco")


class KnownPhrases:
    """The images of a data set. The number of a phrase is its place among the chunks of its caption."""

    def __init__(self, pictures: Iterable[Picture], other_names: Mapping[str, str] | None = None) -> None:
        """Take the pictures, and the names that they have beside their own, such as ids and paths of files."""
        self._pictures = {_same(picture.name): picture for picture in pictures}
        self._other = {_same(other): _same(name) for other, name in (other_names or {}).items()}
        self._read: dict[str, ImagePhrases] = {}

    def look(self, names: Collection[str | int]) -> dict[str | int, ImagePhrases]:
        """Return the images that these names mean: with or without the ending of a file, or an id of COCO's."""
        found = {name: self._name_of(name) for name in names}
        return {name: self._phrases(stored) for name, stored in found.items() if stored is not None}

    def has_box(self, key: Key) -> bool:
        """Return whether the phrase has a gold box."""
        picture = self._pictures[_same(key[0])]
        return picture.captions[key[1]].phrases[key[2]].chain in picture.gold

    def _name_of(self, name: str | int) -> str | None:
        """Return the image's own name. An id as a number is that of a file before it is a name."""
        told = _same(str(name))
        plain = "_".join(PurePosixPath(told).with_suffix("").parts) if told.strip("./") else told
        tries = [self._other.get(told), told, plain]
        if isinstance(name, str):
            tries = [told, *tries]
        return next((tried for tried in tries if tried in self._pictures), None)

    def _phrases(self, name: str) -> ImagePhrases:
        if name not in self._read:
            picture = self._pictures[name]
            phrases = [
                NamedPhrase(
                    phrase.number,
                    phrase.caption,
                    phrase.start,
                    phrase.start + len(phrase.words),
                    phrase.text,
                    phrase.types,
                )
                for caption in picture.captions
                for phrase in caption.phrases
            ]
            self._read[name] = ImagePhrases(picture.name, picture.width, picture.height, phrases)
        return self._read[name]


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name)


@dataclass
class Predictions:
    """The predicted boxes of each phrase, the best first."""

    boxes: dict[Key, list[Box]] = field(default_factory=dict)
    """Only phrases with a gold box."""
    unboxed: int = 0
    """Phrases without a gold box: their predictions are ignored."""
    unknown: list[str] = field(default_factory=list)
    """Names of images that the data does not have."""
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""
    cut_off: int = 0
    """Replies that end within a box; their complete boxes are read."""


def read_phrase_predictions(
    path: Path,
    known: KnownPhrases,
    *,
    kind: str = "",
    form: str = "",
    clip: bool = False,
    categories: Mapping[int, str] | Mapping[Id, str] | None = None,
) -> Predictions:
    """Read a file. `kind`: one of FILES; `form`: one of box_forms.FORMS; without them by its name, and as usual.

    Raises InputError for the first line or entry that is wrong, and for a file without any.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file.")
    try:
        found = read_file(
            path.name, path.read_bytes(), known.look, kind=kind, form=form, clip=clip, categories=categories
        )
    except InputError as refused:
        comma = "" if str(refused).startswith(("ends in", "names", "holds")) else ","
        raise InputError(f"{path.name}{comma} {refused}") from refused
    kept = Predictions(unknown=found.unknown, unused=found.unused, cut_off=found.cut_off)
    for placed in found.images:
        for phrase, boxes in placed.boxes.items():
            assert phrase.number is not None
            key = (placed.image.name, phrase.caption, phrase.number)
            if known.has_box(key):
                kept.boxes[key] = [box.box for box in boxes]
            else:
                kept.unboxed += 1
    return kept
