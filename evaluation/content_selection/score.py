"""Score of a selection [paper Wang 3.1, equations 1 to 3]: precision, recall and F against all descriptions."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np


class SelectionScore(NamedTuple):
    """Precision, recall and their harmonic mean, from 0 to 1."""

    p: float
    r: float
    f: float


def selection_score(gold: Sequence[Collection[str]], selected: Collection[str]) -> SelectionScore:
    """Return the score of the selected boxes against the boxes of each description, of which none may be empty.

    The order of the selection has no effect. An empty selection scores 0.
    """
    chosen = frozenset(selected)
    if not chosen:
        return SelectionScore(0.0, 0.0, 0.0)
    p = sum(len(chosen.intersection(description)) / len(chosen) for description in gold) / len(gold)
    r = sum(len(chosen.intersection(description)) / len(set(description)) for description in gold) / len(gold)
    return SelectionScore(p, r, float(harmonic(np.array(p), np.array(r))))


def harmonic(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the harmonic mean of each pair (equation 3); 0 where both are 0."""
    both = p + r
    mean: np.ndarray = np.divide(2 * p * r, both, out=np.zeros_like(both, dtype=float), where=both > 0)
    return mean


def scores_by_k(members: np.ndarray, order: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """Return P, R and F of the first k boxes of an order, for each k: shape (len(ks), 3). A short order is used up.

    `members`: truth values (descriptions, boxes); `order`: indices of boxes, perhaps not of all.
    """
    if not len(order):
        return np.zeros((len(ks), 3))
    places = np.minimum(ks, len(order)) - 1
    p = np.cumsum(members.mean(axis=0)[order])[places] / (places + 1)
    r = np.cumsum((members / members.sum(axis=1, keepdims=True)).mean(axis=0)[order])[places]
    return np.stack([p, r, harmonic(p, r)], axis=1)


def upper_bound(gold: Sequence[Collection[str]]) -> SelectionScore | None:
    """Return the mean P, R and F of an image's descriptions; None if fewer than two refer to boxes.

    P, R and F are taken of each description and then averaged: by symmetry P and R are equal.
    """
    if len(gold) < 2:
        return None
    each = [selection_score([*gold[:i], *gold[i + 1 :]], left_out) for i, left_out in enumerate(gold)]
    p, r, f = np.mean(np.array(each), axis=0)
    return SelectionScore(float(p), float(r), float(f))
