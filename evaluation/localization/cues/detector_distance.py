"""Detector [paper 4.1.3, equation 1]: half the embedding's distance and half what the detector lacks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def with_detector(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 0.5 D + 0.5 (1 - score) of each region, or the embedding's distance D for a phrase without detector."""
    if scores is None:
        return np.asarray(embedding, dtype=np.float64)
    return np.asarray(0.5 * np.asarray(embedding) + 0.5 * (1 - np.asarray(scores)), dtype=np.float64)


def detector_or_embedding(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 1 - score of each region, or the embedding's distance for a phrase without detector (Table 5c)."""
    return np.asarray(embedding if scores is None else 1 - np.asarray(scores), dtype=np.float64)
