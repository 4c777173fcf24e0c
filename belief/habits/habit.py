"""Habit [beyond paper 3.2.2]: where a worker's edges usually lie beside the true ones, and how much they scatter.

Most people leave room around a thing, each in their own way. So a box is tighter if what its worker usually adds is
taken off again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, Strict

from annotation.rules.box import Box
from annotation.rules.plain_errors import should_be

POINTING = 2.8
"""The pixels by which anybody misses an edge, however exact: 2.8 on the real boxes of docs/why/results.md."""
LOST = 3.7
"""The IOU that is lost for each share of the side by which edges are off; from there, too."""

Shift = Annotated[float, Strict(), Field(gt=-0.5, lt=0.5), should_be("a number between -0.5 and 0.5")]
Spread = Annotated[float, Strict(), Field(gt=0, lt=1), should_be("a number between 0 and 1")]


@dataclass(frozen=True)
class Habit:
    """The way in which one worker draws, in shares of the sides of what is drawn."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    edges: tuple[Shift, Shift, Shift, Shift] = (0.0, 0.0, 0.0, 0.0)
    """To be added to the left, top, right and bottom edge."""
    spread: Spread = 0.035
    """The mean distance of an edge after that, in a box so large that pixels do not matter."""


Edges = tuple[float, float, float, float]
Habits = Mapping[str, Habit]
"""By the number of the worker; that of all others has the name CROWD."""
CROWD = "0"
NOBODY_KNOWS = Habit()


def habit_of(worker: int | None, habits: Habits) -> Habit:
    """Return a worker's habit. None, an expert, is taken to have none."""
    if worker is None:
        return NOBODY_KNOWS
    return habits.get(str(worker)) or habits.get(CROWD, NOBODY_KNOWS)


def without_habit(box: Box, habit: Habit) -> Edges:
    """Return the edges of a drawn box, in pixels, as they would be without the habit."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    left, top, right, bottom = habit.edges
    return box.x0 + left * width, box.y0 + top * height, box.x1 + right * width, box.y1 + bottom * height


def off_by(box: Box, habit: Habit) -> float:
    """Return how far an edge of a box is likely off, as a share of the side: the more, the smaller the box."""
    return habit.spread + pointing_of(box)


def pointing_of(box: Box) -> float:
    """Return the part of that which lies in pixels: nobody points more exactly."""
    return POINTING / sqrt(max(box.area, 1))


def likely_iou(box: Box, habit: Habit) -> float:
    """Return the IOU, 0 to 1, that a drawn box is expected to have with the true one, if it is one."""
    return max(0.0, 1 - LOST * off_by(box, habit))
