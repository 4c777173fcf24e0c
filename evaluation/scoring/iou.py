"""Overlap [paper 4.1.2]: intersection over union of boxes, and suppression of boxes that overlap a better one."""

import numpy as np

THRESHOLD = 0.5


def iou(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the overlap of each box with each other one: shapes (n, 4) and (m, 4) give (n, m), from 0 to 1.

    Two boxes without area have the overlap 0.
    """
    first, second = _boxes(boxes)[:, None, :], _boxes(others)[None, :, :]
    return paired_iou(first, second)


def paired_iou(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the overlap of each box with the one in the same place: shapes (..., 4), which may broadcast."""
    width = np.minimum(boxes[..., 2], others[..., 2]) - np.maximum(boxes[..., 0], others[..., 0])
    height = np.minimum(boxes[..., 3], others[..., 3]) - np.maximum(boxes[..., 1], others[..., 1])
    shared = np.clip(width, 0, None) * np.clip(height, 0, None)
    union = area(boxes) + area(others) - shared
    overlap: np.ndarray = np.divide(shared, union, out=np.zeros_like(shared, dtype=float), where=union > 0)
    return overlap


def area(boxes: np.ndarray) -> np.ndarray:
    """Return the areas of boxes of shape (..., 4) in square pixels."""
    square: np.ndarray = (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])
    return square


def _boxes(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=float).reshape(-1, 4)


def nms(boxes: np.ndarray, distances: np.ndarray, threshold: float = THRESHOLD) -> np.ndarray:
    """Return the indices of the boxes that stay, best first. Lower distances are better; ties keep their order.

    `boxes`: (n, 4); `distances`: (n,). An overlap of exactly the threshold suppresses nothing.
    """
    order = np.argsort(distances, kind="stable")
    overlaps = iou(boxes, boxes) > threshold
    gone = np.zeros(len(order), dtype=bool)
    kept = []
    for place in order:
        if not gone[place]:
            kept.append(place)
            gone |= overlaps[place]
    return np.array(kept, dtype=int)
