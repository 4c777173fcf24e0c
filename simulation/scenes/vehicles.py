"""Vehicles: each stands on (x, y), heads to the right, and `size` is its length in pixels."""

import math

from simulation.scenes.palette import darker, lighter
from simulation.scenes.shapes import Colour, Pen, Shape

RUBBER: Colour = (52, 52, 62)
GLASS: Colour = (196, 224, 236)


def _wheel(pen: Pen, x: float, radius: float, hub: Colour = (206, 210, 214)) -> None:
    pen.disc("wheels", RUBBER, x, -radius, radius)
    pen.disc("wheels", hub, x, -radius, radius * 0.5)
    pen.disc("wheels", darker(hub, 0.4), x, -radius, radius * 0.15)


def car(x: float, y: float, size: float, paint: Colour, *, flip: bool = False, lit: bool = False) -> list[Shape]:
    """A small car, its headlight on if lit."""
    pen = Pen(x, y, size / 100, flip=flip)
    pen.shadow(0, 52, 5)
    pen.fill("body", paint, (-30, -22), (-20, -37), (12, -37), (28, -22), round_by=3)
    pen.fill("glass", GLASS, (-25, -23), (-17.5, -35), (-5, -35), (-5, -23), round_by=1)
    pen.fill("glass", GLASS, (-1, -23), (-1, -35), (10, -35), (21, -23), round_by=1)
    pen.block("body", paint, -50, -26, 50, -7, 6)
    pen.line("body", darker(paint, 0.2), 1, (-3, -24), (-3, -9))
    pen.line("body", darker(paint, 0.3), 2.4, (-47, -10), (47, -10))
    pen.line("body", darker(paint, 0.3), 1.6, (1, -20), (6, -20))
    pen.disc("light", (255, 240, 170) if lit else (250, 232, 200), 46, -19, 3)
    pen.disc("light", (214, 80, 70), -47, -19, 2.4)
    _wheel(pen, -28, 10)
    _wheel(pen, 28, 10)
    return pen.shapes


def bus(x: float, y: float, size: float, paint: Colour) -> list[Shape]:
    """A city bus."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 51, 3.5)
    pen.block("body", paint, -50, -44, 50, -5, 4)
    pen.block("body", lighter(paint, 0.75), -50, -20, 50, -16)
    for i in range(5):
        pen.block("glass", GLASS, -46 + i * 16, -39, -33 + i * 16, -24, 1.5)
        pen.fill(
            "glass",
            lighter(GLASS, 0.5),
            (-42 + i * 16, -39),
            (-38 + i * 16, -39),
            (-44 + i * 16, -24),
            (-46 + i * 16, -26),
        )
    pen.block("glass", GLASS, 35, -39, 48, -10, 1.5)
    pen.line("body", darker(paint, 0.2), 1, (41.5, -38), (41.5, -10))
    pen.line("body", darker(paint, 0.35), 2, (-48, -6), (48, -6))
    pen.disc("light", (255, 240, 190), 48, -13, 1.8)
    _wheel(pen, -28, 7)
    _wheel(pen, 24, 7)
    return pen.shapes


def bicycle(x: float, y: float, size: float, paint: Colour) -> list[Shape]:
    """A bicycle; saddle at (-14, -58), handlebar at (26, -64), pedals about (-3, -20) in hundredths of its size."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 50, 4)
    for wx in (-31, 31):
        around = [(wx + 18 * math.cos(t), -19 + 18 * math.sin(t)) for t in [math.tau * i / 28 for i in range(29)]]
        pen.line("wheels", RUBBER, 2.4, *around)
        for i in range(6):
            t = math.pi * i / 6
            dx, dy = 17 * math.cos(t), 17 * math.sin(t)
            pen.line("wheels", (150, 156, 164), 0.6, (wx - dx, -19 - dy), (wx + dx, -19 + dy))
    pen.line("frame", paint, 3, (-31, -19), (-3, -19), (20, -50), (-12, -50), (-31, -19))
    pen.line("frame", paint, 3, (-3, -19), (-14, -56))
    pen.line("frame", paint, 3, (31, -19), (18, -60))
    pen.line("frame", RUBBER, 3, (18, -60), (25, -63))
    pen.line("frame", RUBBER, 5, (-20, -58), (-9, -57))
    pen.disc("frame", (120, 126, 134), -3, -19, 4.5)
    pen.line("frame", RUBBER, 2, (-3, -19), (2, -10))
    return pen.shapes


def sailboat(x: float, y: float, size: float, hull: Colour, sail: Colour) -> list[Shape]:
    """A boat under sail; y is the water line."""
    pen = Pen(x, y, size / 100)
    pen.line("mast", (120, 84, 60), 2.4, (0, -14), (0, -116))
    pen.fill("sail", sail, (4, -112), (4, -22), (40, -22), round_by=1.5)
    pen.fill("sail", darker(sail, 0.09), (-4, -104), (-4, -22), (-34, -22), round_by=1.5)
    pen.line("sail", darker(sail, 0.16), 1.2, (5, -50), (27, -50))
    pen.fill("flag", (208, 70, 62), (1, -117), (1, -108), (-13, -112))
    pen.fill("hull", hull, (-48, -14), (50, -16), (34, -2), (-36, -2), round_by=2)
    pen.line("hull", lighter(hull, 0.6), 2.4, (-46, -13), (48, -15))
    return pen.shapes


def rowboat(x: float, y: float, size: float, hull: Colour) -> list[Shape]:
    """An open boat as seen from the side; y is the water line."""
    pen = Pen(x, y, size / 100)
    pen.fill("hull", hull, (-49, -19), (-20, -13), (20, -13), (49, -20), (36, -1), (-36, -1), round_by=1)
    pen.line("hull", lighter(hull, 0.45), 2.4, (-48, -18), (-20, -12.6), (20, -12.6), (48, -19))
    pen.line("hull", darker(hull, 0.2), 0.8, (-42, -9), (42, -9))
    return pen.shapes


def tractor(x: float, y: float, size: float, paint: Colour) -> list[Shape]:
    """A farm tractor with a cab."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 52, 5)
    pen.line("pipe", (80, 82, 92), 3.5, (30, -42), (30, -68))
    pen.block("glass", GLASS, -32, -74, 4, -36, 2)
    pen.line("cab", darker(paint, 0.15), 3, (-31, -38), (-31, -72))
    pen.line("cab", darker(paint, 0.15), 3, (3, -38), (3, -72))
    pen.block("cab", paint, -37, -79, 9, -71, 3)
    pen.block("body", paint, -8, -46, 46, -20, 5)
    pen.block("body", darker(paint, 0.12), -38, -40, 4, -24, 4)
    for i in range(3):
        pen.line("body", darker(paint, 0.35), 1.6, (34, -40 + i * 6), (43, -40 + i * 6))
    _wheel(pen, -24, 24, (243, 197, 80))
    _wheel(pen, 33, 14, (243, 197, 80))
    return pen.shapes
