"""Position [paper Wang 4.1, errata]: the box first whose centre is nearest to the centre of the image."""

import numpy as np


def position_order(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the indices of the boxes, (n, 4), by rising distance from the centre; ties keep their order."""
    return np.argsort(distances(boxes, width, height), kind="stable")


def distances(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the distances in pixels from the centres of the boxes to that of the image."""
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    away: np.ndarray = np.hypot(centres[:, 0] - width / 2, centres[:, 1] - height / 2)
    return away
