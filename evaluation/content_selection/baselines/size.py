"""Size [paper Wang 4.1]: the largest box first."""

import numpy as np

from evaluation.scoring.iou import area


def size_order(boxes: np.ndarray) -> np.ndarray:
    """Return the indices of the boxes, (n, 4), by falling area; ties keep their order."""
    return np.argsort(-area(boxes), kind="stable")
