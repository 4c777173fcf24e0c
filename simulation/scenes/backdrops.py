"""Backdrops of scenes: nature, and the town."""

import math
from random import Random

from simulation.scenes.shapes import WIDTH, Band, Blob, Colour, Layer, Oval, Pen, darker, lighter, mix


def sky(top: Colour, low: Colour, horizon: float) -> list[Layer]:
    """The sky down to the horizon."""
    return [Band(0, horizon + 2, top, low)]


def sun(x: float, y: float, radius: float, colour: Colour = (255, 244, 206)) -> list[Layer]:
    """The sun in its glow."""
    rings: list[Layer] = [Oval("sun", (*colour, 8), x, y, radius * s / 10, radius * s / 10) for s in range(27, 10, -1)]
    return [*rings, Oval("sun", colour, x, y, radius, radius)]


def clouds(rng: Random, count: int, top: float, bottom: float, colour: Colour = (255, 253, 248)) -> list[Layer]:
    """Flat-bottomed clouds spread over the width."""
    pen = Pen(0, 0, 1)
    for i in range(count):
        x = (i + rng.uniform(0.2, 0.8)) * WIDTH / count
        y, s = rng.uniform(top, bottom), rng.uniform(0.7, 1.3)
        pen.block("cloud", colour, x - 78 * s, y - 26 * s, x + 78 * s, y, 13 * s)
        for dx, r in ((-34, 26), (2, 38), (36, 24)):
            pen.disc("cloud", colour, x + dx * s, y - 22 * s, r * s)
    return list(pen.shapes)


def hills(rng: Random, base: float, height: float, colour: Colour, waves: float = 2.0) -> list[Layer]:
    """A rolling line of hills that fills the picture below it."""
    shift, other = rng.uniform(0, math.tau), rng.uniform(0, math.tau)
    line = []
    for i in range(61):
        t = i / 60
        swell = 0.65 * math.sin(shift + t * math.tau * waves / 2) + 0.35 * math.sin(other + t * math.tau * waves)
        line.append((t * WIDTH, base - height * (0.5 + 0.5 * swell)))
    return [Blob("hills", colour, 0, (*line, (WIDTH, 800), (0, 800)), True)]


def mountains(rng: Random, base: float, height: float, colour: Colour, snow: Colour | None = None) -> list[Layer]:
    """Pointed mountains, with snow on top if wanted."""
    pen = Pen(0, 0, 1)
    for i in range(6):
        x = i * 240 + rng.uniform(-50, 50)
        tall, wide = height * rng.uniform(0.6, 1), rng.uniform(180, 260)
        pen.fill("mountain", colour, (x - wide, base), (x, base - tall), (x + wide, base))
        pen.fill("mountain", darker(colour, 0.08), (x + wide * 0.2, base), (x, base - tall), (x + wide, base))
        if snow:
            dips = (
                (x + wide * 0.3, base - tall * 0.7),
                (x + wide * 0.1, base - tall * 0.76),
                (x - wide * 0.08, base - tall * 0.68),
            )
            pen.fill("mountain", snow, (x - wide * 0.3, base - tall * 0.7), (x, base - tall), *dips)
    return list(pen.shapes)


def water(rng: Random, top: float, bottom: float, far: Colour, near: Colour) -> list[Layer]:
    """Water with glints that grow towards us."""
    layers: list[Layer] = [Band(top, bottom, far, near)]
    for _ in range(46):
        share = rng.random() ** 1.4
        y, x, long = top + 6 + share * (bottom - top - 12), rng.uniform(0, WIDTH), 10 + 46 * share
        layers.append(Oval("glint", (255, 255, 255, 60), x, y, long, 1.2 + 1.6 * share))
    return layers


def grass(rng: Random, top: float, far: Colour, near: Colour) -> list[Layer]:
    """A meadow from its far edge down to us, with tufts and flowers."""
    pen = Pen(0, 0, 1)
    for _ in range(70):
        share = rng.random()
        x, y, s = rng.uniform(0, WIDTH), top + 14 + share * (790 - top), 3 + 7 * share
        shade = darker(mix(far, near, share), 0.13)
        pen.line("tuft", shade, 1.2 + share * 1.4, (x - s, y - s), (x, y), (x + s, y - s * 1.3))
        if share > 0.3 and rng.random() < 0.3:
            pen.disc(
                "flower",
                rng.choice(((252, 246, 236), (246, 206, 100), (236, 150, 160))),
                x + s * 2,
                y - s,
                1.6 + 2.6 * share,
            )
    return [Band(top, 800, far, near), *pen.shapes]


def tree(x: float, y: float, size: float, leaves: Colour) -> list[Layer]:
    """A leafy tree, `size` tall."""
    pen = Pen(x, y, size / 100)
    trunk: Colour = mix((116, 84, 66), leaves, 0.18)
    pen.shadow(4, 30, 4)
    pen.fill("trunk", trunk, (-4, -44), (4, -44), (6, -1), (-6, -1))
    pen.line("trunk", trunk, 3.4, (0, -34), (14, -52))
    for dx, dy, r in ((-18, -52, 17), (18, -54, 17), (0, -60, 22), (-10, -76, 17), (11, -78, 16)):
        pen.disc("leaves", leaves, dx, dy, r)
    for dx, dy, r in ((-13, -60, 10), (6, -72, 12), (-8, -82, 8)):
        pen.disc("leaves", lighter(leaves, 0.12), dx, dy, r)
    return list(pen.shapes)


def pine(x: float, y: float, size: float, needles: Colour) -> list[Layer]:
    """A pine in the snow, `size` tall."""
    pen = Pen(x, y, size / 100)
    pen.block("trunk", (104, 80, 70), -3, -14, 3, 0)
    for i, (low, high, wide) in enumerate(((-10, -52, 25), (-34, -74, 20), (-58, -100, 14))):
        pen.fill("needles", lighter(needles, 0.05 * i), (-wide, low), (wide, low), (0, high), round_by=1)
        snow = ((-wide * 0.42, high + 18), (wide * 0.42, high + 18), (0, high))
        pen.fill("needles", (248, 251, 255), *snow, round_by=1)
    return list(pen.shapes)


def palm(x: float, y: float, size: float) -> list[Layer]:
    """A palm tree that leans a little, `size` tall."""
    pen = Pen(x, y, size / 100)
    pen.line("trunk", (150, 112, 80), 5, (0, 0), (3, -30), (9, -60), (18, -84))
    for dx, dy in ((-30, -10), (-24, -24), (0, -30), (22, -24), (32, -8), (26, 10), (-22, 8)):
        pen.line("leaves", (92, 150, 104), 6, (18, -84), (18 + dx * 0.6, -88 + dy * 0.8), (18 + dx, -84 + dy + 8))
    pen.disc("nuts", (120, 84, 60), 16, -81, 4)
    pen.disc("nuts", (120, 84, 60), 22, -80, 4)
    return list(pen.shapes)


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
