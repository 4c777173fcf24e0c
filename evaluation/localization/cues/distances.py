"""Distances [paper 4.1.3, equations 1 to 3]: the embedding's, with a detector, the size of regions and their colour."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.scoring.iou import area

Array = NDArray[np.float64]
PAPER = {"scene": 0.2, "vehicles": 0.2, "instruments": 0.2}
OTHERS = 0.1
WEIGHT = 0.2
"""Without validation data; the paper prints none."""


def with_detector(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 0.5 D + 0.5 (1 - score) of each region, or the embedding's distance D for a phrase without detector."""
    if scores is None:
        return np.asarray(embedding, dtype=np.float64)
    return np.asarray(0.5 * np.asarray(embedding) + 0.5 * (1 - np.asarray(scores)), dtype=np.float64)


def detector_or_embedding(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 1 - score of each region, or the embedding's distance for a phrase without detector (Table 5c)."""
    return np.asarray(embedding if scores is None else 1 - np.asarray(scores), dtype=np.float64)


def shares(boxes: NDArray[Any], width: float, height: float) -> NDArray[np.float64]:
    """Return the share of the picture that each box (n, 4) covers, between 0 and 1."""
    return np.clip(area(np.asarray(boxes, dtype=np.float64)) / (width * height), 0, 1)


def with_size(distances: NDArray[Any], sizes: NDArray[Any], weight: float) -> NDArray[np.float64]:
    """Return (1 - w) D + w (1 - size) of each region."""
    return np.asarray((1 - weight) * np.asarray(distances) + weight * (1 - np.asarray(sizes)), dtype=np.float64)


def weight_of(types: Sequence[str], weights: Mapping[str, float], default: float = OTHERS) -> float:
    """Return the weight of a phrase's first type; the default for a type without weight or no type."""
    return weights.get(types[0], default) if types else default


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
