"""Grid [beyond paper 4.1.2]: the same boxes for every picture, by size and shape; needs no pixels."""

import numpy as np
from numpy.typing import NDArray

SHARES = (0.85, 0.65, 0.45, 0.3)
"""Sides of the boxes as shares of the picture's, from large to small."""
SHAPES = (1.0, 0.5, 2.0)
"""Width by height, as shares of the picture's: square, tall, wide."""
OVERLAP = 0.55
"""Boxes of one kind follow each other at this share of their side."""


def grid(width: int, height: int, most: int = 200) -> NDArray[np.float64]:
    """Return at most `most` boxes (n, 4) in pixels, the largest first, evenly spread over the picture."""
    boxes: list[tuple[float, float, float, float]] = []
    for share in SHARES:
        for shape in SHAPES:
            across, down = min(share * shape**0.5, 1.0), min(share / shape**0.5, 1.0)
            lefts, tops = _starts(across), _starts(down)
            boxes += [(x, y, x + across, y + down) for y in tops for x in lefts]
    kept = np.array(list(dict.fromkeys(boxes))[:most])
    return kept * np.array([width, height, width, height], dtype=np.float64)


def _starts(side: float) -> list[float]:
    """Return where boxes of this side begin, between 0 and 1 - side."""
    steps = max(1, round((1 - side) / (side * OVERLAP)) + (side < 1))
    return [float(start) for start in np.linspace(0, 1 - side, steps + (steps == 1 and side < 1))]
