"""Logistic regression [beyond paper 3.1.1]: weights that make facts likeliest, pulled towards given logits."""

import numpy as np

from belief.links.partitions import Scores

L2 = 3.0
"""The cost of weights that differ from 0."""
STEPS = 20
"""Newton's method has then long ended: the objective is smooth and has one maximum."""
STILL = 1e-9
"""A step may lose this much by rounding."""


def fit_logistic(columns: Scores, begins: Scores, true: Scores, counts: Scores, l2: float | Scores = L2) -> Scores:
    """Return the weights [columns] to add to the logits `begins` [facts].

    `columns`: [facts, columns]. `true`: how far each fact holds, 0 to 1. `counts`: how much each fact weighs. `l2`: the
    cost of a weight's distance from 0, for all or for each.
    """

    def gain(weights: Scores) -> float:
        logits = begins + columns @ weights
        return float(counts @ (true * logits - np.logaddexp(0, logits)) - (costs * weights) @ weights / 2)

    weights = np.zeros(columns.shape[1])
    costs = np.broadcast_to(np.asarray(l2, dtype=np.float64), weights.shape)
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-(begins + columns @ weights)))
        gradient = columns.T @ (counts * (true - chances)) - costs * weights
        curvature = (columns * (counts * chances * (1 - chances))[:, None]).T @ columns + np.diag(costs)
        step, reached = np.linalg.solve(curvature, gradient), gain(weights)
        while gain(weights + step) < reached - STILL:  # where chances are near 0 or 1 a whole step leads too far
            step /= 2
        weights += step
    return weights
