"""Shapes: the few outlines that everything in a scene is drawn from, and how far they reach.

Coordinates are pixels of the picture, x to the right and y downwards. Because a shape knows its own reach, the box of
an entity is known exactly without drawing it.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from annotation.rules.box import Box

Colour = tuple[int, ...]
"""Red, green, blue and, for a transparent colour, alpha: 0 to 255."""
Point = tuple[float, float]

WIDTH = 1200
HEIGHT = 800


class Blob(NamedTuple):
    """Points joined by a round pen: one is a disc, two a stick, more a bent stick or, if closed, a filled outline."""

    part: str
    colour: Colour
    radius: float
    points: tuple[Point, ...]
    closed: bool = False

    def reach(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom in pixels."""
        xs = [x for x, _ in self.points]
        ys = [y for _, y in self.points]
        radius = self.radius
        return min(xs) - radius, min(ys) - radius, max(xs) + radius, max(ys) + radius


class Oval(NamedTuple):
    """An ellipse about (x, y) with half axes rx and ry, turned by an angle in degrees."""

    part: str
    colour: Colour
    x: float
    y: float
    rx: float
    ry: float
    angle: float = 0.0

    def reach(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom in pixels."""
        rx, ry = self.rx, self.ry
        if self.angle:
            cos, sin = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
            rx, ry = math.hypot(rx * cos, ry * sin), math.hypot(rx * sin, ry * cos)
        return self.x - rx, self.y - ry, self.x + rx, self.y + ry


class Band(NamedTuple):
    """A stripe over the whole width that runs from one colour at the top to another at the bottom."""

    top: float
    bottom: float
    first: Colour
    last: Colour


Shape = Blob | Oval
Layer = Blob | Oval | Band

SHADOW = "shadow"
"""The part name of shadows, which belong to the ground and not to the entity."""


def extent(shapes: Iterable[Shape], parts: frozenset[str] | None = None) -> Box:
    """The tight box of the shapes (of those with such a part) inside the picture; shadows don't count.

    Raises ValueError if there is none of them in the picture.
    """
    reaches = [s.reach() for s in shapes if s.part != SHADOW and (parts is None or s.part in parts)]
    if not reaches:
        raise ValueError(f"no shape has one of the parts {sorted(parts or ())}")
    lefts, tops, rights, bottoms = zip(*reaches, strict=True)
    box = Box(
        max(0, math.floor(min(lefts) + 0.5)),
        max(0, math.floor(min(tops) + 0.5)),
        min(WIDTH, math.floor(max(rights) + 0.5)),
        min(HEIGHT, math.floor(max(bottoms) + 0.5)),
    )
    if not box.fits(WIDTH, HEIGHT):
        raise ValueError(f"{box} is outside the picture of {WIDTH} x {HEIGHT}")
    return box


def mirrored(layer: Layer) -> Layer:
    """Mirror the shapes."""
    if isinstance(layer, Blob):
        return layer._replace(points=tuple([(WIDTH - x, y) for x, y in layer.points]))
    if isinstance(layer, Oval):
        return layer._replace(x=WIDTH - layer.x, angle=-layer.angle)
    return layer


def above(shape: Shape, y: float) -> list[Shape]:
    """Return outlines of the part of the shape above the height y."""
    if isinstance(shape, Oval):
        return [shape] if shape.y <= y else []
    ends = [*shape.points, shape.points[0]] if shape.closed or len(shape.points) == 1 else shape.points
    outlines = [shape.points] if shape.closed else []
    outlines += [_capsule(start, end, shape.radius) for start, end in pairwise(ends)]
    cut = [_clipped(outline, y) for outline in outlines]
    return [Blob(shape.part, shape.colour, 0, tuple(points), True) for points in cut if points]


def _capsule(start: Point, end: Point, radius: float) -> tuple[Point, ...]:
    """The outline of a round stick, its ends in steps of 15 degrees."""
    along = math.atan2(end[1] - start[1], end[0] - start[0])
    turns = [along + math.radians(angle) for angle in range(-90, 91, 15)]
    head = [(end[0] + radius * math.cos(t), end[1] + radius * math.sin(t)) for t in turns]
    return (*head, *[(start[0] - radius * math.cos(t), start[1] - radius * math.sin(t)) for t in turns])


def _clipped(outline: tuple[Point, ...], y: float) -> list[Point]:
    """The corners of the part of a closed outline that lies above the height y."""
    points: list[Point] = []
    previous = outline[-1]
    for point in outline:
        if (previous[1] <= y) != (point[1] <= y):
            share = (y - previous[1]) / (point[1] - previous[1])
            points.append((previous[0] + (point[0] - previous[0]) * share, y))
        if point[1] <= y:
            points.append(point)
        previous = point
    return points


class Pen:
    """Collects shapes in an entity's own units: (0, 0) is its standing point, and y grows downwards."""

    def __init__(self, x: float, y: float, scale: float, *, flip: bool = False) -> None:
        self.x, self.y, self.scale = x, y, scale
        self.side = -1 if flip else 1
        self.shapes: list[Shape] = []

    def at(self, x: float, y: float) -> Point:
        """Return the place in the picture of a point of the entity."""
        return self.x + self.side * x * self.scale, self.y + y * self.scale

    def line(self, part: str, colour: Colour, width: float, *points: Point) -> None:
        """A round stick through the points."""
        self.shapes.append(Blob(part, colour, width * self.scale / 2, tuple([self.at(*p) for p in points])))

    def fill(self, part: str, colour: Colour, *points: Point, round_by: float = 0.0) -> None:
        """A filled outline, its corners rounded outwards."""
        self.shapes.append(Blob(part, colour, round_by * self.scale, tuple([self.at(*p) for p in points]), True))

    def block(
        self, part: str, colour: Colour, x0: float, y0: float, x1: float, y1: float, round_by: float = 0.0
    ) -> None:
        """An upright rectangle that reaches exactly so far, its corners rounded."""
        r = round_by
        self.fill(part, colour, (x0 + r, y0 + r), (x1 - r, y0 + r), (x1 - r, y1 - r), (x0 + r, y1 - r), round_by=r)

    def oval(self, part: str, colour: Colour, x: float, y: float, rx: float, ry: float, angle: float = 0.0) -> None:
        """An ellipse."""
        px, py = self.at(x, y)
        self.shapes.append(Oval(part, colour, px, py, rx * self.scale, ry * self.scale, angle * self.side))

    def disc(self, part: str, colour: Colour, x: float, y: float, radius: float) -> None:
        """A circle."""
        self.shapes.append(Blob(part, colour, radius * self.scale, (self.at(x, y),)))

    def shadow(self, x: float, rx: float, ry: float) -> None:
        """A soft patch on the ground under the entity."""
        self.oval(SHADOW, (20, 24, 48, 46), x, 0, rx, ry)


NAMED: dict[str, Colour] = {
    "red": (208, 70, 62),
    "orange": (233, 134, 56),
    "yellow": (243, 197, 80),
    "green": (82, 146, 98),
    "blue": (58, 106, 170),
    "purple": (122, 88, 156),
    "pink": (232, 140, 158),
    "white": (246, 242, 234),
    "black": (52, 52, 64),
    "gray": (138, 145, 156),
    "brown": (134, 94, 66),
}
BRIGHT = ("red", "orange", "yellow", "green", "blue", "purple", "pink")

SKINS: tuple[Colour, ...] = ((246, 208, 180), (234, 186, 150), (208, 152, 112), (168, 112, 78), (118, 76, 54))
HAIRS: dict[str, Colour] = {
    "black": (44, 38, 42),
    "brown": (98, 64, 44),
    "blond": (226, 184, 104),
    "red": (178, 84, 46),
    "gray": (188, 188, 190),
}


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """The colour that lies `share` (0.0 to 1.0) of the way from a to b."""
    return tuple([round(x + (y - x) * share) for x, y in zip(a, b, strict=True)])


def darker(colour: Colour, share: float = 0.16) -> Colour:
    """A shade of the colour, a little towards a cool dark."""
    return mix(colour, (34, 30, 62), share)


def lighter(colour: Colour, share: float = 0.25) -> Colour:
    """A tint of the colour, towards a warm white."""
    return mix(colour, (255, 250, 240), share)
