"""Recall [paper 4.1.2]: the share of queries with a box of overlap 0.5 or more among the first K."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.reading.picture import TYPES
from evaluation.scoring.iou import iou

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
