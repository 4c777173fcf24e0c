"""Non-maximum suppression [paper 4.1.2]: a box goes if a better one that stays overlaps it by more than 0.5."""

import numpy as np

from evaluation.scoring.iou import iou

THRESHOLD = 0.5


def nms(boxes: np.ndarray, distances: np.ndarray, threshold: float = THRESHOLD) -> np.ndarray:
    """Return the indices of the boxes that stay, best first. Lower distances are better; ties keep their order.

    `boxes`: (n, 4); `distances`: (n,). An overlap of exactly the threshold suppresses nothing.
    """
    order = np.argsort(distances, kind="stable")
    overlaps = iou(boxes, boxes) > threshold
    gone = np.zeros(len(order), dtype=bool)
    kept = []
    for one in order:
        if not gone[one]:
            kept.append(one)
            gone |= overlaps[one]
    return np.array(kept, dtype=int)
