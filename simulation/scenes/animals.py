"""Animals: each looks to the right, stands on (x, y), and `size` is about its length in pixels."""

import math

from simulation.scenes.palette import darker, lighter, mix
from simulation.scenes.shapes import Colour, Pen, Shape

INK: Colour = (46, 38, 46)


def _legs(pen: Pen, colour: Colour, width: float, top: float, *xs: float, bottom: float = 0.0) -> None:
    for i, x in enumerate(xs):
        shade = darker(colour, 0.18) if i % 2 else colour
        pen.line("legs", shade, width, (x, top), (x, bottom - width / 2))


def dog(x: float, y: float, size: float, coat: Colour, *, flip: bool = False, leaping: bool = False) -> list[Shape]:
    """A dog with a collar, its legs stretched out if it leaps."""
    pen = Pen(x, y, size / 100, flip=flip)
    dark = darker(coat, 0.3)
    pen.line("tail", coat, 8, (-40, -50), (-52, -62), (-54, -76))
    if leaping:
        for i, (ax, bx) in enumerate(((-30, -54), (24, 50), (-24, -42), (20, 40))):
            pen.line("legs", dark if i % 2 else coat, 10, (ax, -38), (bx, -14 if i < 2 else -6))
    else:
        _legs(pen, darker(coat, 0.12), 10, -34, -24, 18)
        _legs(pen, coat, 11, -36, -33)
        _legs(pen, coat, 11, -36, 26)
    pen.line("body", coat, 31, (-30, -45), (22, -46))
    pen.line("body", coat, 22, (22, -50), (36, -70))
    pen.disc("head", coat, 42, -76, 15)
    pen.line("head", lighter(coat, 0.3), 12, (50, -72), (60, -71))
    pen.disc("head", INK, 65, -73, 4)
    pen.disc("head", INK, 46, -80, 2.4)
    pen.line("head", dark, 10, (34, -84), (28, -70))
    pen.line("collar", (208, 70, 62), 5, (22, -64), (38, -58))
    return pen.shapes


def cat(x: float, y: float, size: float, coat: Colour) -> list[Shape]:
    """A sitting cat."""
    pen = Pen(x, y, size / 100)
    dark = darker(coat, 0.22)
    pen.line("tail", dark, 9, (-20, -8), (-40, -6), (-48, -20), (-44, -34))
    pen.fill("body", coat, (-18, -16), (16, -16), (12, -52), (0, -58), round_by=15)
    _legs(pen, lighter(coat, 0.2), 11, -30, 8, 20)
    for side in (-1, 1):
        pen.fill("head", dark, (10 + side * 19, -76), (10 + side * 7, -92), (10 + side * 17, -104), round_by=1)
    pen.oval("head", coat, 10, -77, 23, 19)
    for side in (-1, 1):
        pen.oval("head", (86, 130, 84), 14 + side * 9, -79, 3.6, 4.6)
        pen.oval("head", INK, 14 + side * 9, -79, 1.6, 4)
        pen.line("head", lighter(coat, 0.6), 1.2, (14 + side * 8, -70), (14 + side * 26, -72))
    pen.oval("head", (214, 130, 130), 14, -72, 3, 2)
    for dx in (-8, 0, 8):
        pen.line("body", dark, 3, (-14 + dx, -46), (-10 + dx, -34))
    return pen.shapes


def horse(x: float, y: float, size: float, coat: Colour) -> list[Shape]:
    """A horse with a dark mane; its back is at 0.86 of its size."""
    pen = Pen(x, y, size / 100)
    dark = mix(coat, (40, 28, 34), 0.62)
    pen.line("tail", dark, 9, (-46, -78), (-56, -62), (-55, -36))
    far, near = darker(coat, 0.2), darker(coat, 0.04)
    for top, knee, foot, shade in (
        (-30, -21, -29, far),
        (30, 41, 39, far),
        (-38, -40, -41, near),
        (24, 24, 20, near),
    ):
        pen.line("legs", shade, 11, (top, -56), (knee, -30))
        pen.line("legs", shade, 7.5, (knee, -30), (foot, -6))
        pen.line("hooves", INK, 8, (foot, -4), (foot + 2, -4))
    pen.line("body", coat, 36, (-32, -66), (26, -67))
    pen.fill("neck", coat, (22, -66), (38, -62), (58, -100), (46, -108), round_by=7)
    pen.fill("mane", dark, (18, -84), (26, -84), (50, -112), (42, -116), round_by=3)
    pen.line("head", coat, 15, (53, -108), (69, -93))
    pen.line("head", lighter(coat, 0.22), 11, (68, -94), (73, -89))
    pen.fill("head", coat, (47, -113), (51, -124), (55, -113), round_by=1.5)
    pen.disc("head", INK, 58, -106, 2)
    pen.disc("head", dark, 75, -90, 1.5)
    pen.line("bridle", (86, 52, 44), 2.2, (62, -95), (68, -103))
    pen.line("bridle", (86, 52, 44), 1.8, (65, -96), (30, -88))
    return pen.shapes


def cow(x: float, y: float, size: float, coat: Colour) -> list[Shape]:
    """A cow with patches and horns."""
    pen = Pen(x, y, size / 100)
    patch = mix(coat, (70, 52, 48), 0.82)
    pen.line("tail", coat, 3.5, (-50, -62), (-56, -44), (-54, -26))
    pen.disc("tail", patch, -54, -23, 4)
    _legs(pen, darker(coat, 0.14), 10, -34, -26, 30)
    _legs(pen, coat, 11, -34, -38)
    _legs(pen, coat, 11, -34, 22)
    pen.oval("body", (236, 178, 170), -18, -30, 12, 7)
    pen.block("body", coat, -50, -70, 40, -28, 16)
    pen.oval("body", patch, -26, -57, 15, 12, -10)
    pen.oval("body", patch, 14, -44, 12, 11, 20)
    pen.line("head", coat, 18, (34, -62), (46, -70))
    pen.line("head", (236, 222, 196), 4, (44, -84), (42, -92))
    pen.line("head", (236, 222, 196), 4, (58, -84), (61, -92))
    pen.line("head", patch, 7, (36, -78), (31, -76))
    pen.line("head", patch, 7, (64, -78), (68, -76))
    pen.fill("head", coat, (44, -80), (58, -80), (58, -62), (48, -62), round_by=5)
    pen.oval("head", (236, 178, 170), 54, -57, 10, 7)
    for dx in (-4, 4):
        pen.disc("head", (160, 96, 96), 54 + dx, -57, 1.5)
        pen.disc("head", INK, 52 + dx * 1.2, -73, 2)
    return pen.shapes


def sheep(x: float, y: float, size: float, *, flip: bool = False) -> list[Shape]:
    """A sheep in its wool."""
    pen = Pen(x, y, size / 100, flip=flip)
    wool, face = (240, 234, 222), (78, 66, 66)
    _legs(pen, face, 8, -26, -24, -12, 14, 26)
    for i in range(12):
        turn = math.tau * i / 12
        pen.disc(
            "wool",
            mix(wool, (190, 184, 190), 0.25 if math.sin(turn) > 0.3 else 0),
            30 * math.cos(turn),
            -44 + 17 * math.sin(turn),
            13,
        )
    pen.oval("wool", wool, 0, -46, 34, 20)
    pen.oval("head", face, 42, -56, 10, 14, -28)
    pen.line("head", face, 6, (34, -62), (28, -58))
    pen.disc("wool", wool, 37, -67, 9)
    pen.disc("head", (250, 250, 250), 44, -59, 2.6)
    pen.disc("head", INK, 44.6, -59, 1.5)
    return pen.shapes


def duck(x: float, y: float, size: float, feathers: Colour, *, flip: bool = False) -> list[Shape]:
    """A duck as it swims: (x, y) is the middle of the line where it meets the water."""
    pen = Pen(x, y, size / 100, flip=flip)
    pen.fill("body", feathers, (-50, -34), (-30, -24), (20, -26), (38, -20), (24, -6), (-24, -6), round_by=6)
    pen.line("body", feathers, 17, (26, -22), (28, -50))
    pen.disc("head", (62, 122, 92) if sum(feathers) < 620 else feathers, 30, -56, 14)
    pen.fill("beak", (238, 158, 62), (40, -58), (58, -52), (42, -48), round_by=2)
    pen.disc("head", INK, 34, -60, 2.4)
    pen.oval("wing", darker(feathers, 0.16), -6, -22, 24, 11, 8)
    return pen.shapes


def seagull(x: float, y: float, size: float, *, flip: bool = False, tilt: float = 1.0) -> list[Shape]:
    """A seagull in flight, (x, y) its middle."""
    pen = Pen(x, y, size / 100, flip=flip)
    white, gray = (250, 250, 248), (168, 180, 194)
    pen.fill("wing", darker(gray, 0.1), (4, -4), (-6, -34 * tilt), (-34, -50 * tilt), (-16, -4), round_by=2)
    pen.oval("body", white, 0, 0, 28, 10, -8)
    pen.fill("tail", white, (-24, 2), (-42, 2), (-38, 10), round_by=2)
    pen.disc("head", white, 26, -8, 9)
    pen.fill("beak", (240, 170, 60), (34, -9), (44, -5), (34, -4), round_by=1)
    pen.disc("head", INK, 28, -10, 1.8)
    pen.fill("wing", gray, (12, -2), (22, -36 * tilt), (50, -56 * tilt), (-10, 0), round_by=2)
    pen.line("wing", INK, 4, (44, -50 * tilt), (50, -56 * tilt))
    return pen.shapes


def camel(x: float, y: float, size: float, coat: Colour, *, flip: bool = False) -> list[Shape]:
    """A camel with a blanket over its hump."""
    pen = Pen(x, y, size / 100, flip=flip)
    _legs(pen, darker(coat, 0.16), 8, -44, -26, 26)
    _legs(pen, coat, 9, -44, -36)
    _legs(pen, coat, 9, -44, 18)
    pen.line("tail", darker(coat, 0.2), 4, (-46, -66), (-52, -46))
    pen.line("body", coat, 32, (-30, -62), (20, -62))
    pen.fill("hump", coat, (-30, -72), (14, -72), (-6, -96), round_by=8)
    pen.fill("blanket", (196, 72, 72), (-24, -82), (8, -82), (12, -56), (-28, -56), round_by=3)
    pen.line("blanket", (243, 197, 80), 3, (-28, -60), (12, -60))
    pen.line("blanket", (72, 130, 150), 3, (-26, -72), (10, -72))
    pen.line("neck", coat, 14, (24, -62), (42, -58), (52, -88))
    pen.line("head", coat, 15, (52, -94), (68, -90))
    pen.line("head", darker(coat, 0.25), 5, (46, -100), (43, -106))
    pen.disc("head", INK, 57, -97, 2.2)
    pen.line("head", darker(coat, 0.3), 1.6, (66, -86), (73, -87))
    return pen.shapes
