"""Scenes [paper Wang 3]: an image with labelled boxes, and the boxes that each description refers to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.reading.picture import Box


@dataclass(frozen=True, slots=True)
class Labelled:
    """A box with its concept, such as "dog"."""

    id: str
    box: Box
    concept: str


@dataclass(frozen=True)
class Scene:
    """An image. Boxes are in the order in which ties are decided."""

    image: str
    width: int
    height: int
    boxes: tuple[Labelled, ...]
    references: tuple[tuple[str, ...], ...]
    """The ids of the boxes that each description refers to, in the order of its words, repeats included."""

    @cached_property
    def gold(self) -> list[frozenset[str]]:
        """The boxes of each description; those that refer to none are dropped."""
        return [frozenset(reference) for reference in self.references if reference]

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        """The concepts of the boxes, in their order."""
        return tuple(one.concept for one in self.boxes)

    @cached_property
    def edges(self) -> np.ndarray:
        """The boxes as an array of shape (n, 4)."""
        return np.array([one.box for one in self.boxes], dtype=float).reshape(-1, 4)

    @cached_property
    def members(self) -> np.ndarray:
        """Truth values of shape (descriptions, boxes): whether the description refers to the box."""
        return np.array([[one.id in own for one in self.boxes] for own in self.gold], dtype=bool)


def usable(scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes with a description that refers to a box."""
    return [scene for scene in scenes if scene.gold]


def natural(name: str) -> tuple[int, int, str]:
    """Return the sort key of an id: numbers by their value, before other names."""
    return (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)
