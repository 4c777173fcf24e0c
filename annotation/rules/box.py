"""Boxes [paper 3.2]: rectangles of whole pixels, half open, and how much two of them overlap."""

from typing import NamedTuple


class Box(NamedTuple):
    """The pixels [x0, x1) x [y0, y1) of the upright image."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def area(self) -> int:
        """The area in square pixels."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def fits(self, width: int, height: int) -> bool:
        """Return whether the box is at least 1 x 1 and inside an image of this size in pixels."""
        return 0 <= self.x0 < self.x1 <= width and 0 <= self.y0 < self.y1 <= height


def iou(a: Box, b: Box) -> float:
    """Return the intersection over union of the two areas, 0 to 1."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (a.area + b.area - shared)


class Drawing(NamedTuple):
    """One drawing of a thing."""

    entry: int
    worker: int | None
    """The program, if it proposed the box; None for an expert."""
    box: Box
    """As it was drawn."""
