"""Fused box [beyond paper 3.2.2]: one box of all drawings of the same thing."""

from collections.abc import Sequence
from math import floor

from annotation.rules.box import Box
from annotation.rules.drawing import Drawing
from belief.habits.habit import Habits, habit_of, off_by, without_habit


def fuse(drawings: Sequence[Drawing], habits: Habits) -> Box:
    """Return the box of one drawing or more, in whole pixels: its edges are the mean of theirs without habits.

    Who draws more exactly weighs more. No edge lies outside all drawings, so that the box stays inside the image.
    """
    known = [habit_of(one.worker, habits) for one in drawings]
    edges = [without_habit(one.box, habit) for one, habit in zip(drawings, known, strict=True)]
    weights = [off_by(one.box, habit) ** -2 for one, habit in zip(drawings, known, strict=True)]
    mean = [sum(map(float.__mul__, weights, map(float, edge))) / sum(weights) for edge in zip(*edges, strict=True)]
    x0, y0, x1, y1 = (floor(edge + 0.5) for edge in mean)
    left, top = (min(one.box[edge] for one in drawings) for edge in (0, 1))
    right, bottom = (max(one.box[edge] for one in drawings) for edge in (2, 3))
    x0, y0 = max(x0, left), max(y0, top)
    return Box(min(x0, right - 1), min(y0, bottom - 1), max(min(x1, right), x0 + 1), max(min(y1, bottom), y0 + 1))
