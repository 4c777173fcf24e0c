"""The images and phrases of a data set, as files of predictions name them."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath

from evaluation.reading.picture import Picture
from evaluation.reading.predictions.image_phrases import ImagePhrases, Phrase

Key = tuple[str, int, int]
"""Image, caption, phrase."""


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
        return {name: self._phrases(own) for name, own in found.items() if own is not None}

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
        return next((one for one in tries if one in self._pictures), None)

    def _phrases(self, name: str) -> ImagePhrases:
        if name not in self._read:
            picture = self._pictures[name]
            phrases = [
                Phrase(one.number, one.caption, one.start, one.start + len(one.words), one.text, one.types)
                for caption in picture.captions
                for one in caption.phrases
            ]
            self._read[name] = ImagePhrases(picture.name, picture.width, picture.height, phrases)
        return self._read[name]


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name)
