"""Scores of boxes [paper 4.1.2]: overlap, suppression of boxes that overlap a better one, and recall."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.reading.picture import TYPES

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


HIT = 0.5
KS = (1, 5, 10)


def first_hit(ranked: np.ndarray, gold: Sequence[float] | np.ndarray) -> int:
    """Return the rank, from 1, of the first box that hits the gold box; 0 if none does. `ranked`: (n, 4)."""
    return int(first_hits(ranked, np.asarray(gold).reshape(1, 4))[0])


def first_hits(ranked: np.ndarray, golds: np.ndarray) -> np.ndarray:
    """Return for each gold box the rank, from 1, of the first box that hits it; 0 if none does.

    `ranked`: (n, 4), the same for all; `golds`: (m, 4).
    """
    if len(ranked) == 0:
        return np.zeros(len(golds), dtype=int)
    hits = iou(ranked, golds) >= HIT
    ranks: np.ndarray = np.where(hits.any(axis=0), hits.argmax(axis=0) + 1, 0)
    return ranks


def recall_at(ranks: np.ndarray, k: int) -> float:
    """Return the percentage of queries whose first hit has at most this rank. `ranks`: from 1, 0 for none."""
    ranks = np.asarray(ranks)
    return float(100 * np.mean((ranks > 0) & (ranks <= k))) if len(ranks) else 0.0


def members(types: Sequence[tuple[str, ...]]) -> dict[str, np.ndarray]:
    """Return the indices of the queries of each type. A query of two types counts in both [paper 4.1.3, Table 6]."""
    return {name: np.array([i for i, of_query in enumerate(types) if name in of_query], dtype=int) for name in TYPES}


def recall_figures(ranks: np.ndarray, by_type: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return R@K overall and R@K.TYPE for each type with queries, in percent."""
    ranks = np.asarray(ranks)
    figures = {f"R@{k}": recall_at(ranks, k) for k in KS}
    for kind, places in by_type.items():
        if len(places):
            figures |= {f"R@{k}.{kind}": recall_at(ranks[places], k) for k in KS}
    return figures


def proposal_bound(proposals: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return for each gold box whether any proposal hits it, before suppression: the upper bound of recall.

    `proposals`: (n, 4); `gold`: (m, 4); returns m truth values.
    """
    if len(proposals) == 0:
        return np.zeros(len(gold), dtype=bool)
    best: np.ndarray = iou(proposals, gold).max(axis=0)
    return best >= HIT
