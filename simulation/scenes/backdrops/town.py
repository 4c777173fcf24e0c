"""Towns: houses, skylines, rooms, pavements and lights."""

from random import Random

from simulation.scenes.palette import darker, lighter, mix
from simulation.scenes.shapes import WIDTH, Band, Colour, Layer, Oval, Pen

FACADES: tuple[Colour, ...] = (
    (228, 180, 140),
    (214, 148, 124),
    (238, 208, 158),
    (176, 194, 188),
    (222, 196, 186),
    (156, 176, 194),
)


def houses(rng: Random, ground: float, tallest: float, air: Colour, share: float = 0.0) -> list[Layer]:
    """A row of houses with roofs and windows; the air takes its share of their colour."""
    pen = Pen(0, 0, 1)
    x = -30.0
    while x < WIDTH:
        wide, tall = rng.uniform(130, 190), tallest * rng.uniform(0.66, 1)
        wall = mix(rng.choice(FACADES), air, share)
        top = ground - tall
        pen.block("house", wall, x, top, x + wide, ground)
        if rng.random() < 0.55:
            roof = mix((172, 92, 78), air, share)
            pen.fill("house", roof, (x - 6, top), (x + 22, top - 40), (x + wide - 22, top - 40), (x + wide + 6, top))
        else:
            pen.block("house", darker(wall, 0.2), x - 4, top - 8, x + wide + 4, top + 4)
        _windows(pen, rng, x, top, wide, ground, wall, air)
        x += wide + rng.choice((0, 0, 14))
    return list(pen.shapes)


def _windows(
    pen: Pen, rng: Random, x: float, top: float, wide: float, ground: float, wall: Colour, air: Colour
) -> None:
    columns = 3 if wide > 150 else 2
    gap = wide / columns
    rows = max(1, int((ground - top - 30) / 74))
    for row in range(rows):
        for column in range(columns):
            wx, wy = x + gap * (column + 0.5), top + 26 + row * 74
            pen.block("window", lighter(wall, 0.55), wx - 17, wy - 3, wx + 17, wy + 47)
            pen.block("window", mix((120, 156, 176), air, 0.25), wx - 13, wy + 1, wx + 13, wy + 43)
            if rng.random() < 0.3:
                pen.block("window", (244, 236, 214), wx - 13, wy + 1, wx + 13, wy + 14)


def skyline(rng: Random, ground: float, tallest: float, colour: Colour, lights: float) -> list[Layer]:
    """Tall flat buildings at dusk; `lights` is the share of the windows in which somebody is at home."""
    pen = Pen(0, 0, 1)
    x = -20.0
    while x < WIDTH:
        wide, tall = rng.uniform(90, 150), tallest * rng.uniform(0.45, 1)
        shade = mix(colour, (96, 92, 150), rng.uniform(0, 0.16))
        pen.block("building", shade, x, ground - tall, x + wide, ground)
        for row in range(int(tall / 36)):
            for column in range(int(wide / 26)):
                if rng.random() < lights:
                    wx, wy = x + 10 + column * 26, ground - tall + 14 + row * 36
                    pen.block(
                        "window",
                        rng.choice(((255, 220, 140), (255, 200, 120), (200, 214, 240))),
                        wx,
                        wy,
                        wx + 12,
                        wy + 17,
                    )
        x += wide + rng.uniform(0, 10)
    return list(pen.shapes)


def road(top: float, pavement: float, *, night: bool = False) -> list[Layer]:
    """A pavement from `top`, then the road from `pavement` down, with its dashes."""
    stone: Colour = (86, 88, 118) if night else (214, 206, 196)
    tar: Colour = (52, 54, 80) if night else (122, 126, 138)
    pen = Pen(0, 0, 1)
    pen.block("kerb", lighter(stone, 0.3), 0, pavement - 8, WIDTH, pavement)
    middle = (pavement + 800) / 2 + 20
    for i in range(8):
        x = i * 160 + 20
        pen.fill(
            "dash", lighter(tar, 0.6), (x + 6, middle - 4), (x + 90, middle - 4), (x + 84, middle + 5), (x, middle + 5)
        )
    return [Band(top, pavement, stone, darker(stone, 0.07)), Band(pavement, 800, tar, darker(tar, 0.14)), *pen.shapes]


def glow(x: float, y: float, radius: float, colour: Colour = (255, 220, 140)) -> list[Layer]:
    """Light around a lamp."""
    return [Oval("glow", (*colour, 4), x, y, radius * s / 28, radius * s / 28) for s in range(28, 0, -1)]


def room(rng: Random, floor: float, wall: Colour, boards: Colour) -> list[Layer]:
    """A wall with a panelled foot and a floor of boards."""
    pen = Pen(0, 0, 1)
    pen.block("panel", darker(wall, 0.22), 0, floor - 150, WIDTH, floor)
    pen.block("panel", lighter(wall, 0.3), 0, floor - 156, WIDTH, floor - 148)
    pen.block("panel", darker(wall, 0.4), 0, floor - 12, WIDTH, floor)
    for i in range(12):
        pen.line("panel", darker(wall, 0.3), 2, (i * 104 + 40, floor - 144), (i * 104 + 40, floor - 14))
    for i in range(9):
        spread = (i - 4) * 150
        pen.line("board", darker(boards, 0.14), 2, (600 + spread, floor), (600 + spread * 1.9, 800))
    return [Band(0, floor, lighter(wall, 0.12), wall), Band(floor, 800, boards, darker(boards, 0.1)), *pen.shapes]
