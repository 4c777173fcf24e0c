"""Box-aware model [beyond paper Shekhar, Baseline Models]: a noun is wrong if no box of the image has its category."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.foil.making.exchange import Target, targets_of, word_of_category
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.models.model import Shown
from evaluation.reading.json_lines import json_lines, member


class DetectionLine(TypedDict):
    """The objects that a detector finds in an image."""

    image: str
    """Its name in the captions."""
    categories: Sequence[str]
    """Names as COCO has them."""


@dataclass(frozen=True)
class BoxAware:
    """The model. `categories`: of the boxes of each image, gold ones or those of a detector."""

    name: str
    categories: Mapping[str, Collection[str]]
    lexicon: Lexicon

    def predict_t1(self, shown: Sequence[Shown]) -> list[bool]:
        """Tell of each caption whether it names an object without a box."""
        return [bool(self._absent(one)) for one in shown]

    def predict_t2(self, shown: Sequence[Shown], places: Sequence[Sequence[int]]) -> list[int | None]:
        """Return the first allowed place of an object without a box."""
        return [
            next((target.place for target in self._absent(one) if target.place in place), None)
            for one, place in zip(shown, places, strict=True)
        ]

    def predict_t3(self, shown: Sequence[Shown], places: Sequence[int]) -> list[str | None]:
        """Return the first word of the lexicon that has a box and is not in the caption.

        Words of the wrong word's super-category come first.
        """
        return [self._present(one, place) for one, place in zip(shown, places, strict=True)]

    def _absent(self, shown: Shown) -> list[Target]:
        there = self._words(shown.image)
        found = targets_of(shown.pieces, shown.tags, self.lexicon)
        return [target for target in found if target.word.word not in there]

    def _present(self, shown: Shown, place: int) -> str | None:
        targets = targets_of(shown.pieces, shown.tags, self.lexicon)
        said = {target.word.word for target in targets}
        kind = next((target.word.super_category for target in targets if target.place == place), None)
        there = self._words(shown.image) - said
        known = [word for word in self.lexicon.words if word.word in there]
        return next((word.word for word in sorted(known, key=lambda one: one.super_category != kind)), None)

    def _words(self, image: str) -> set[str]:
        found = (word_of_category(category, self.lexicon) for category in self.categories.get(image, ()))
        return {word for word in found if word is not None}


def read_detections(path: Path) -> dict[str, set[str]]:
    """Return the categories of each image. Raises InputError, which names the line."""
    found: dict[str, set[str]] = {}
    for where, value in json_lines(path):
        image, categories = str(member(value, "image", where)), member(value, "categories", where)
        if not isinstance(categories, list) or not all(isinstance(category, str) for category in categories):
            raise InputError(f"{where}: the field 'categories' is not a list of names.")
        if image in found:
            raise InputError(f"{where}: the image {image!r} stands twice: write all its categories on one line.")
        found[image] = set(categories)
    if not found:
        raise InputError(f"{path.name} holds no detections.")
    return found
