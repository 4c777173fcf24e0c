"""Size [paper 4.1.3, equation 2]: a bias towards large regions, with a weight for each type."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAPER = {"scene": 0.2, "vehicles": 0.2, "instruments": 0.2}
OTHERS = 0.1


def shares(boxes: NDArray[Any], width: float, height: float) -> NDArray[np.float64]:
    """Return the share of the picture that each box (n, 4) covers, between 0 and 1."""
    sides = np.asarray(boxes, dtype=np.float64)
    areas = (sides[:, 2] - sides[:, 0]) * (sides[:, 3] - sides[:, 1])
    return np.clip(areas / (width * height), 0, 1)


def with_size(distances: NDArray[Any], sizes: NDArray[Any], weight: float) -> NDArray[np.float64]:
    """Return (1 - w) D + w (1 - size) of each region."""
    return np.asarray((1 - weight) * np.asarray(distances) + weight * (1 - np.asarray(sizes)), dtype=np.float64)


def weight_of(types: Sequence[str], weights: Mapping[str, float], default: float = OTHERS) -> float:
    """Return the weight of a phrase's first type; the default for a type without weight or no type."""
    return weights.get(types[0], default) if types else default
