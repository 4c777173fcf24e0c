"""Interface of models [paper Shekhar, Proposed Tasks]: they see a caption with its image and answer three tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Protocol

from evaluation.foil.item import FOIL, Item, name_of
from evaluation.foil.making.caption_words import pieces_of, tags_of


@dataclass(frozen=True, slots=True)
class Shown:
    """A caption as a model sees it. `name`: ITEM:correct or ITEM:foil, by which files refer to it."""

    name: str
    image: str
    pieces: tuple[str, ...]
    tags: tuple[str, ...]


class Model(Protocol):
    """A model. An answer of None is wrong; a method that returns None does not do the task."""

    @property
    def name(self) -> str:
        """The name of its figures."""
        ...

    def predict_t1(self, shown: Sequence[Shown]) -> Sequence[bool | None] | None:
        """Tell of each caption whether it is a foil."""
        ...

    def predict_t2(self, shown: Sequence[Shown], places: Sequence[Sequence[int]]) -> Sequence[int | None] | None:
        """Return the place of the wrong word of each foil, among the places that are allowed for it."""
        ...

    def predict_t3(self, shown: Sequence[Shown], places: Sequence[int]) -> Sequence[str | None] | None:
        """Return the right word for the wrong one at the place of each foil, as the lexicon names it."""
        ...


def shown_captions(items: Sequence[Item], version: str, *, tagged: bool = True) -> list[Shown]:
    """Return one version of each item's caption, with tags for models that need them: MissingExtra without tagger."""
    captions = [item.foil if version == FOIL else item.caption for item in items]
    return [
        Shown(name_of(item.item, version), item.image, tuple(pieces_of(caption)), tuple(tags))
        for item, caption, tags in zip(items, captions, tags_of(captions) if tagged else repeat(()), strict=tagged)
    ]
