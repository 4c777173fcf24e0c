"""Chance [paper Wang 5]: boxes drawn at random, and the closed form of what that scores on average."""

from collections.abc import Sequence

import numpy as np

from evaluation.content_selection.score import harmonic


def random_scores(members: np.ndarray, ks: Sequence[int], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return P, R and F of the first k boxes of random orders: shape (draws, len(ks), 3).

    `members`: truth values (descriptions, boxes).
    """
    boxes = members.shape[1]
    orders = np.argsort(rng.random((draws, boxes)), axis=1)
    places = np.minimum(ks, boxes) - 1
    p = np.cumsum(members.mean(axis=0)[orders], axis=1)[:, places] / (places + 1)
    r = np.cumsum((members / members.sum(axis=1, keepdims=True)).mean(axis=0)[orders], axis=1)[:, places]
    return np.stack([p, r, harmonic(p, r)], axis=2)


def expected(members: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """Return the expected P and R for each k: shape (len(ks), 2).

    With N boxes, P is the mean number of boxes of a description over N, for every k; R is min(k, N) / N.
    """
    boxes = members.shape[1]
    p = np.full(len(ks), members.sum(axis=1).mean() / boxes)
    return np.stack([p, np.minimum(ks, boxes) / boxes], axis=1)


def random_order(boxes: int, rng: np.random.Generator) -> np.ndarray:
    """Return the indices of the boxes in random order."""
    return rng.permutation(boxes)
