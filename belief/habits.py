"""Drawing habits [beyond paper 3.2.2]: where a worker's edges usually lie beside the true ones, and how they scatter.

Most people leave room around a thing, each in their own way. So a box is tighter if what its worker usually adds is
taken off again, and several drawings of one thing are fused into one box. Habits are fitted to what workers drew where
the true box is known: each is pulled towards that of all workers, and that one towards none, as by some imagined
drawings.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, sqrt
from typing import Annotated, NamedTuple

from pydantic import Field, Strict

from annotation.rules.box import Box, Drawing
from annotation.rules.plain_errors import should_be
from belief.values import Chance, Stored

POINTING_PIXELS = 2.8
"""The pixels by which anybody misses an edge, however exact: 2.8 on the real boxes of docs/why/results.md."""
IOU_LOST = 3.7
"""The IOU that is lost for each share of the side by which edges are off; from there, too."""

Shift = Annotated[float, Strict(), Field(gt=-0.5, lt=0.5), should_be("a number between -0.5 and 0.5")]


@dataclass(frozen=True)
class Habit(Stored):
    """The way in which one worker draws, in shares of the sides of what is drawn."""

    edges: tuple[Shift, Shift, Shift, Shift] = (0.0, 0.0, 0.0, 0.0)
    """To be added to the left, top, right and bottom edge."""
    spread: Chance = 0.035
    """The mean distance of an edge after that, in a box so large that pixels do not matter."""


Edges = tuple[float, float, float, float]
Habits = Mapping[str, Habit]
"""By the number of the worker; that of all others has the name CROWD."""
CROWD = "0"
NO_HABIT = Habit()


def habit_of(worker: int | None, habits: Habits) -> Habit:
    """Return a worker's habit. None, an expert, is taken to have none."""
    if worker is None:
        return NO_HABIT
    return habits.get(str(worker)) or habits.get(CROWD, NO_HABIT)


def without_habit(box: Box, habit: Habit) -> Edges:
    """Return the edges of a drawn box, in pixels, as they would be without the habit."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    left, top, right, bottom = habit.edges
    return box.x0 + left * width, box.y0 + top * height, box.x1 + right * width, box.y1 + bottom * height


def edge_error(box: Box, habit: Habit) -> float:
    """Return how far an edge of a box is likely off, as a share of the side: the more, the smaller the box."""
    return habit.spread + pointing_error(box)


def pointing_error(box: Box) -> float:
    """Return the part of that which lies in pixels: nobody points more exactly."""
    return POINTING_PIXELS / sqrt(max(box.area, 1))


def likely_iou(box: Box, habit: Habit) -> float:
    """Return the IOU, 0 to 1, that a drawn box is expected to have with the true one, if it is one."""
    return max(0.0, 1 - IOU_LOST * edge_error(box, habit))


def fuse(drawings: Sequence[Drawing], habits: Habits) -> Box:
    """Return the box of one drawing or more, in whole pixels: its edges are the mean of theirs without habits.

    Who draws more exactly weighs more. No edge lies outside all drawings, so that the box stays inside the image.
    """
    worker_habits = [habit_of(drawing.worker, habits) for drawing in drawings]
    edges = [without_habit(drawing.box, habit) for drawing, habit in zip(drawings, worker_habits, strict=True)]
    weights = [edge_error(drawing.box, habit) ** -2 for drawing, habit in zip(drawings, worker_habits, strict=True)]
    mean = [sum(map(float.__mul__, weights, map(float, edge))) / sum(weights) for edge in zip(*edges, strict=True)]
    x0, y0, x1, y1 = (floor(edge + 0.5) for edge in mean)
    left, top = (min(drawing.box[edge] for drawing in drawings) for edge in (0, 1))
    right, bottom = (max(drawing.box[edge] for drawing in drawings) for edge in (2, 3))
    x0, y0 = max(x0, left), max(y0, top)
    return Box(min(x0, right - 1), min(y0, bottom - 1), max(min(x1, right), x0 + 1), max(min(y1, bottom), y0 + 1))


IMAGINED_OF_WORKER, IMAGINED_OF_CROWD = 10.0, 25.0
"""Imagined drawings: of a worker as of the crowd, and of the crowd without a habit."""
MAX_SHIFT = 0.3
"""An edge counts as at most this share of the side off: what lies farther is another thing rather than a habit."""
MIN_SPREAD = 0.005
"""The smallest spread."""
MAX_WORKERS = 300
"""So many workers have a habit of their own at most, those with the most drawings."""
HABIT_DIGITS = 4


class KnownDrawing(NamedTuple):
    """A box that a worker drew, and the true one of the same thing."""

    worker: int
    drawn: Box
    true: Box


def fit_habits(known: Iterable[KnownDrawing]) -> dict[str, Habit]:
    """Return the habits of the workers and of the crowd; without any drawing there are none."""
    drawings_of: dict[int, list[KnownDrawing]] = defaultdict(list)
    for drawing in known:
        drawings_of[drawing.worker].append(drawing)
    if not drawings_of:
        return {}
    crowd = _habit([drawing for drawings in drawings_of.values() for drawing in drawings], NO_HABIT, IMAGINED_OF_CROWD)
    workers = sorted(drawings_of, key=lambda worker: (-len(drawings_of[worker]), worker))[:MAX_WORKERS]
    own = {str(worker): _habit(drawings_of[worker], crowd, IMAGINED_OF_WORKER) for worker in sorted(workers)}
    return {CROWD: crowd} | own


def _habit(drawings: Sequence[KnownDrawing], base: Habit, imagined: float) -> Habit:
    shifts = [_shift_needed(drawing) for drawing in drawings]
    number = len(drawings) + imagined
    means = zip(zip(*shifts, strict=True), base.edges, strict=True)
    edges = _edges((sum(edge_shifts) + imagined * usual) / number for edge_shifts, usual in means)
    pairs = zip(shifts, drawings, strict=True)
    distance = sum(_mean_distance(shift, edges) - pointing_error(drawing.drawn) for shift, drawing in pairs)
    spread = max((distance + imagined * base.spread) / number, MIN_SPREAD)
    return Habit(_edges(round(edge, HABIT_DIGITS) for edge in edges), round(spread, HABIT_DIGITS))


def _edges(values: Iterable[float]) -> Edges:
    left, top, right, bottom = values
    return left, top, right, bottom


def _shift_needed(drawing: KnownDrawing) -> Edges:
    """Return what has to be added to each edge, as a share of the drawn side."""
    width, height = drawing.drawn.x1 - drawing.drawn.x0, drawing.drawn.y1 - drawing.drawn.y0
    sides = (width, height, width, height)
    return _edges(
        max(-MAX_SHIFT, min((true - drawn) / side, MAX_SHIFT))
        for true, drawn, side in zip(drawing.true, drawing.drawn, sides, strict=True)
    )


def _mean_distance(shifts: Edges, usual: Edges) -> float:
    return sum(abs(shift - mean_shift) for shift, mean_shift in zip(shifts, usual, strict=True)) / len(usual)
