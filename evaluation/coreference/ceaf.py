"""CEAF [Luo 2005]: chains of both sides are aligned one to one, as similar as they can be in all."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import linear_sum_assignment

from evaluation.coreference.chains import Chains
from evaluation.coreference.counts import Counts


def ceaf_mentions(gold: Chains, response: Chains) -> Counts:
    """Return the mentions that aligned chains share (φ3), of all mentions."""
    shared = _aligned(gold, response, lambda both, _: both)
    return Counts(shared, sum(map(len, response)), shared, sum(map(len, gold)))


def ceaf_entities(gold: Chains, response: Chains) -> Counts:
    """Return how similar aligned chains are (φ4: twice what they share, by their mentions), of all chains."""
    similar = _aligned(gold, response, lambda both, sizes: 2 * both / sizes)
    return Counts(similar, len(response), similar, len(gold))


def _aligned(gold: Chains, response: Chains, similarity: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
    if not gold or not response:
        return 0.0
    both = np.array([[len(one & other) for other in response] for one in gold], dtype=float)
    sizes = np.array([[len(one) + len(other) for other in response] for one in gold], dtype=float)
    values = similarity(both, sizes)
    rows, columns = linear_sum_assignment(values, maximize=True)
    return float(values[rows, columns].sum())
