"""Near boxes [beyond paper 3.3]: find drawn boxes that are nearly equal, without comparing each with every other."""

from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import NamedTuple

NEAR = 0.98
"""The least IOU of nearly equal boxes. A person who draws the same thing twice reaches about 0.9."""

Area = tuple[float, float, float, float]
"""x0, y0, x1, y1 in any unit."""


class Drawn(NamedTuple):
    """A drawn box in whole pixels of its image, and the image's width and height."""

    id: int
    worker: int
    image: int
    box: tuple[int, int, int, int]
    size: tuple[int, int]

    @property
    def scaled(self) -> Area:
        """The box in units of the image's longer side, so that boxes of different images compare."""
        x0, y0, x1, y1 = self.box
        side = max(self.size)
        return x0 / side, y0 / side, x1 / side, y1 / side


def overlap(a: Area, b: Area) -> float:
    """Return the intersection over union, 0 to 1."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


class Blind(StrEnum):
    """A box that a worker can make without looking at the picture."""

    WHOLE = "cover the whole picture"
    DEFAULT = "are the box that the keyboard puts, as it was put"


def blind(drawn: Drawn, *, near: float = NEAR) -> Blind | None:
    """Return the kind of a box that needs no look: nearly the whole picture, or the default box, its middle half."""
    width, height = drawn.size
    if overlap(drawn.box, (0, 0, width, height)) >= near:
        return Blind.WHOLE
    default = (width / 4, height / 4, 3 * width / 4, 3 * height / 4)
    return Blind.DEFAULT if overlap(drawn.box, default) >= near else None


class NearBoxes:
    """Boxes in a grid, by the cells in which their edges lie."""

    def __init__(self, near: float = NEAR, cell: float = 0.02) -> None:
        self._near, self._cell = near, cell
        self._cells: dict[tuple[int, ...], list[Drawn]] = defaultdict(list)

    def add(self, drawn: Drawn) -> None:
        """Add a box to those that `near` finds."""
        self._cells[tuple(int(edge / self._cell) for edge in drawn.scaled)].append(drawn)

    def near(self, drawn: Drawn) -> Iterator[Drawn]:
        """Yield the added boxes that nearly equal this one."""
        area = drawn.scaled
        # Boxes with this IOU or a higher one have no edge farther apart than this part of the side.
        off = 1 / self._near - 1
        width, height = off * (area[2] - area[0]), off * (area[3] - area[1])
        cells = (
            range(int(max(edge - reach, 0) / self._cell), int((edge + reach) / self._cell) + 1)
            for edge, reach in zip(area, (width, height, width, height), strict=True)
        )
        for cell in product(*cells):
            for other in self._cells.get(cell, ()):
                if overlap(area, other.scaled) >= self._near:
                    yield other
