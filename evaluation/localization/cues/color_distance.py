"""Colour [paper 4.1.3, equation 3]: the full model, for phrases that name one colour."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.cues.size_distance import with_size

WEIGHT = 0.2
"""Without validation data; the paper prints none."""


def with_color(
    distances: NDArray[Any],
    sizes: NDArray[Any],
    scores: NDArray[Any] | None,
    *,
    size_weight: float,
    color_weight: float,
) -> NDArray[np.float64]:
    """Return (1 - ws - wc) D + ws (1 - size) + wc (1 - score) of each region; equation 2 if `scores` is None.

    Raises ValueError for weights whose sum is above 1.
    """
    if scores is None:
        return with_size(distances, sizes, size_weight)
    if size_weight + color_weight > 1 + 1e-12:
        raise ValueError(f"The weights of size and colour, {size_weight} and {color_weight}, sum to more than 1.")
    rest = (1 - size_weight - color_weight) * np.asarray(distances)
    return np.asarray(
        rest + size_weight * (1 - np.asarray(sizes)) + color_weight * (1 - np.asarray(scores)), dtype=np.float64
    )
