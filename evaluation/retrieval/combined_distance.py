"""Image-sentence distance [paper 4.2, equation 5]: the whole image's distance and that of its regions, weighted."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.7


def combined_distances(whole: NDArray[Any], regions: NDArray[Any], alpha: float = ALPHA) -> NDArray[np.float64]:
    """Return alpha x whole + (1 - alpha) x regions, both of shape (sentences, images)."""
    return np.asarray(alpha * np.asarray(whole) + (1 - alpha) * np.asarray(regions), dtype=np.float64)
