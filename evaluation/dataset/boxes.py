"""Boxes of a chain in two versions: which box became which, and how far they overlap."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from evaluation.reading.picture import Box
from evaluation.scoring.iou import iou

KEPT = 0.05
"""The share of a box's sides by which its size, or its middle, may differ and still be kept."""
MOVED, RESIZED, REDRAWN, ELSEWHERE = "box moved", "box resized", "box redrawn", "box elsewhere"


class Beside(NamedTuple):
    """A box of both versions, or of one of them."""

    before: Box | None
    after: Box | None
    overlap: float
    """Intersection over union, from 0 to 1."""


def boxes_beside(before: Sequence[Box], after: Sequence[Box], tolerance: float = 0.0) -> list[Beside]:
    """Return every box of a chain once: as many as can be are in both versions, and overlap as far as they can.

    `tolerance`: pixels by which each edge may differ in a box that is the same; its overlap is then 1.
    """
    if not before or not after:
        return [*(Beside(one, None, 0.0) for one in before), *(Beside(None, one, 0.0) for one in after)]
    if sorted(before) == sorted(after):
        return [Beside(one, one, 1.0) for one in before]
    overlaps = iou(np.array(before), np.array(after))
    near = np.abs(np.array(before)[:, None] - np.array(after)[None]).max(axis=2) <= tolerance
    overlaps[near] = 1.0
    rows, columns = linear_sum_assignment(overlaps, maximize=True)
    found = [Beside(before[i], after[j], float(overlaps[i, j])) for i, j in zip(rows, columns, strict=True)]
    found += [Beside(one, None, 0.0) for i, one in enumerate(before) if i not in rows]
    found += [Beside(None, one, 0.0) for j, one in enumerate(after) if j not in columns]
    return found


def way(before: Box, after: Box) -> str:
    """Return the way in which a box changed.

    Elsewhere: it touches nothing of what it was; moved or resized: its size, or its middle, was kept; else redrawn.
    """
    if min(before[2], after[2]) <= max(before[0], after[0]) or min(before[3], after[3]) <= max(before[1], after[1]):
        return ELSEWHERE
    sizes = [(one[2] - one[0], one[3] - one[1]) for one in (before, after)]
    middles = [((one[0] + one[2]) / 2, (one[1] + one[3]) / 2) for one in (before, after)]
    larger = [max(pair) for pair in zip(*sizes, strict=True)]
    kept_size, kept_middle = (
        all(abs(value - other) <= KEPT * side for value, other, side in zip(*values, larger, strict=True))
        for values in (sizes, middles)
    )
    if kept_size == kept_middle:
        return REDRAWN
    return MOVED if kept_size else RESIZED
