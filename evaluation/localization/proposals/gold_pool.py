"""Gold pool [beyond paper 4.1.2]: the picture's own gold boxes as regions; no detector, so an easier task.

With it, cues are measured on exports without pictures. Its figures are never comparable with those on proposals.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def gold_pool(boxes: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    """Return the distinct boxes (n, 4), the largest first; of equal size, by their corners."""
    distinct = {tuple(float(edge) for edge in box) for box in boxes}
    ordered = sorted(distinct, key=lambda box: (-(box[2] - box[0]) * (box[3] - box[1]), box))
    return np.array(ordered, dtype=np.float64).reshape(-1, 4)
