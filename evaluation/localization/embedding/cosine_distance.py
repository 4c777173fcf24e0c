"""Cosine distance [paper 4.1.1, 4.1.3]: 1 - cos of two projections, held between 0 and 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def cosine_distances(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distances of rows of length one, (n, k) and (m, k): shape (n, m), each between 0 and 1.

    The printed scores of the paper fit 1 - cos and not half of it, so angles beyond the right one count as 1.
    """
    return np.clip(1 - np.asarray(left @ right.T, dtype=np.float64), 0, 1)
