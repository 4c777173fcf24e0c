"""Shapes that are no upright boxes: turned boxes and polygons become the smallest upright box around them."""

import math
from collections.abc import Iterable, Sequence

from annotation.rules.box import Box
from exchange.details import whole_box

TURNED = "Turned boxes, read as the smallest upright ones around them"
POLYGONS = "Polygons, read as the smallest boxes around them"
Point = tuple[float, float]


def turned(box: Sequence[float], degrees: float, around: Point) -> list[Point]:
    """Return the corners of [x, y, width, height] after a turn to the right, as one sees it, around a point."""
    x, y, width, height = box
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    offsets = [(one - around[0], other - around[1]) for one, other in corners]
    return [
        (around[0] + one * cosine - other * sine, around[1] + one * sine + other * cosine) for one, other in offsets
    ]


def box_around(points: Iterable[Point], width: int, height: int, where: str) -> Box:
    """Return the smallest whole-pixel box around the points, cut at the edges of the image. Sizes in pixels.

    Raises Defect for one that has no area in the image.
    """
    columns, rows = zip(*points, strict=True)
    x0, x1 = (min(max(edge, 0.0), width) for edge in (min(columns), max(columns)))
    y0, y1 = (min(max(edge, 0.0), height) for edge in (min(rows), max(rows)))
    return whole_box([x0, y0, x1 - x0, y1 - y0], width, height, where)
