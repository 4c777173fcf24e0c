"""Combination [paper Wang 5.1]: the mean of a box's ranks in two orders."""

import numpy as np


def ranks(order: np.ndarray, boxes: int) -> np.ndarray:
    """Return the rank of each box, from 1. Boxes that the order leaves out share the mean of the ranks that are left.

    With N boxes of which S are chosen that is ((N + 1) - S) / 2 + S: 6.5 for 3 of 9.
    """
    chosen = len(order)
    found = np.full(boxes, 0.5 * ((boxes + 1) - chosen) + chosen)
    found[order] = np.arange(1, chosen + 1)
    return found


def combine(text: np.ndarray, visual: np.ndarray, boxes: int) -> np.ndarray:
    """Return the indices of all boxes by the mean of both ranks; ties go by the visual rank."""
    by_sight = ranks(visual, boxes)
    return np.lexsort((by_sight, (ranks(text, boxes) + by_sight) / 2))
