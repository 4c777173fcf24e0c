"""Heads: face, hair and what is worn on it."""

import math

from simulation.scenes.look import Look, hair_colour
from simulation.scenes.palette import NAMED, darker, lighter, mix
from simulation.scenes.shapes import Pen, Point


def draw_head(
    pen: Pen, look: Look, size: Point, chest: Point, lean: float, *, smile: bool = True, back: bool = False
) -> None:
    """A head of the given half axes above the chest, looking to the right, or seen from behind."""
    rx, ry = size
    x, y = chest[0] + lean * 0.25 + 0.6, chest[1] - ry - 3.2
    _back_hair(pen, look, x, y, rx, ry)
    pen.line("neck", darker(look.skin, 0.1), 6.2, (chest[0], chest[1] - 0.6), (x, y))
    if back:
        pen.oval("hair", hair_colour(look), x, y - 0.4, rx + 0.5, ry + 0.4)
    else:
        pen.disc("face", darker(look.skin, 0.08), x - rx * 0.95, y + 1, rx * 0.24)
        pen.oval("face", look.skin, x, y, rx, ry)
        _features(pen, look, x, y, rx, ry, smile=smile)
        _front_hair(pen, look, x, y, rx, ry)
    if look.hat:
        _hat(pen, look.hat, x, y, rx, ry)


def _features(pen: Pen, look: Look, x: float, y: float, rx: float, ry: float, *, smile: bool) -> None:
    ink = (52, 40, 48)
    eye, turn = rx * 0.36, rx * 0.2
    if look.beard:
        colour = hair_colour(look)
        around = [math.radians(a) for a in range(0, 181, 20)]
        jaw = [(x + rx * 1.0 * math.cos(a), y + ry * 0.1 + ry * 0.95 * math.sin(a)) for a in around]
        pen.fill(
            "hair", colour, *jaw, (x - rx * 0.6, y + ry * 0.32), (x + turn, y + ry * 0.26), (x + rx * 0.8, y + ry * 0.3)
        )
    blush = mix(look.skin, (226, 96, 92), 0.28)
    for side in (-1, 1):
        pen.disc("face", ink, x + turn + side * eye, y - ry * 0.02, rx * 0.105)
        if not look.beard:
            pen.oval("face", blush, x + turn + side * eye * 1.45, y + ry * 0.3, rx * 0.16, ry * 0.1)
    pen.line(
        "face",
        darker(look.skin, 0.22),
        rx * 0.1,
        (x + turn + rx * 0.08, y + ry * 0.06),
        (x + turn + rx * 0.14, y + ry * 0.2),
    )
    dip = 0.12 if smile else 0.0
    mouth = darker(mix(look.skin, (170, 50, 50), 0.55), 0.1)
    low = y + ry * 0.46
    pen.line(
        "face", mouth, rx * 0.12, (x + turn - rx * 0.22, low), (x + turn, low + ry * dip), (x + turn + rx * 0.22, low)
    )
    if look.glasses:
        for side in (-1, 1):
            pen.oval("glasses", (60, 60, 76), x + turn + side * eye, y - ry * 0.02, rx * 0.29, rx * 0.29)
            pen.oval("glasses", (222, 236, 244), x + turn + side * eye, y - ry * 0.02, rx * 0.21, rx * 0.21)
            pen.disc("face", ink, x + turn + side * eye, y - ry * 0.02, rx * 0.1)


def _back_hair(pen: Pen, look: Look, x: float, y: float, rx: float, ry: float) -> None:
    colour = hair_colour(look)
    if look.style == "bald":
        return
    if look.style == "long":
        dark = darker(colour, 0.08)
        pen.block("hair", dark, x - rx * 1.22, y - ry * 0.9, x + rx * 1.1, y + ry * 1.5, rx * 0.85)
    elif look.style == "ponytail":
        pen.line(
            "hair",
            darker(colour, 0.08),
            rx * 0.7,
            (x - rx * 0.9, y - ry * 0.5),
            (x - rx * 1.5, y + ry * 0.1),
            (x - rx * 1.45, y + ry),
        )
    elif look.style == "bun" and not look.hat:
        pen.disc("hair", darker(colour, 0.06), x - rx * 0.35, y - ry * 1.15, rx * 0.5)
    elif look.style == "curly":
        for angle in range(170, 371, 40):
            turn = math.radians(angle)
            pen.disc("hair", colour, x + rx * 0.88 * math.cos(turn), y - 0.5 + ry * 0.82 * math.sin(turn), rx * 0.46)
    pen.oval("hair", colour, x - rx * 0.06, y - ry * 0.12, rx * 1.1, ry * 1.02)


def _front_hair(pen: Pen, look: Look, x: float, y: float, rx: float, ry: float) -> None:
    colour = hair_colour(look)
    if look.style == "bald":
        pen.disc("hair", colour, x - rx * 0.95, y - ry * 0.02, rx * 0.2)
        return
    around = [math.radians(a) for a in range(165, 361, 15)]
    crown = [(x + rx * 1.04 * math.cos(a), y - ry * 0.02 + ry * 1.06 * math.sin(a)) for a in around]
    if look.female:
        line = [
            (x + rx * 0.86, y - ry * 0.34),
            (x + rx * 0.2, y - ry * 0.62),
            (x - rx * 0.45, y - ry * 0.32),
            (x - rx * 0.8, y + ry * 0.1),
        ]
    else:
        line = [(x + rx * 0.8, y - ry * 0.42), (x - rx * 0.5, y - ry * 0.46), (x - rx * 0.78, y - ry * 0.02)]
    pen.fill("hair", colour, *crown, *line)


def _hat(pen: Pen, hat: tuple[str, str], x: float, y: float, rx: float, ry: float) -> None:
    kind, colour = hat[0], NAMED[hat[1]]
    brow = y - ry * 0.42
    if kind == "hat":
        pen.block("hat", colour, x - rx * 0.86, y - ry * 1.5, x + rx * 0.86, brow, rx * 0.42)
        pen.line(
            "hat", darker(colour, 0.35), rx * 0.24, (x - rx * 0.74, brow - rx * 0.14), (x + rx * 0.74, brow - rx * 0.14)
        )
        pen.oval("hat", darker(colour, 0.08), x, brow, rx * 1.7, ry * 0.2)
    elif kind == "cap":
        _dome(pen, colour, x, brow, rx * 1.08, ry * 0.82)
        pen.line("hat", darker(colour, 0.12), rx * 0.26, (x + rx * 0.2, brow), (x + rx * 1.6, brow + ry * 0.06))
    elif kind == "beanie":
        _dome(pen, colour, x, brow, rx * 1.08, ry * 0.92)
        pen.line("hat", lighter(colour, 0.35), rx * 0.42, (x - rx * 0.92, brow), (x + rx * 0.92, brow))
        pen.disc("hat", lighter(colour, 0.6), x, brow - ry * 0.98, rx * 0.34)
    elif kind == "helmet":
        _dome(pen, colour, x, brow + ry * 0.1, rx * 1.2, ry * 1.0)
        pen.line(
            "hat", lighter(colour, 0.45), rx * 0.18, (x - rx * 0.55, brow - ry * 0.5), (x + rx * 0.5, brow - ry * 0.55)
        )
        pen.line(
            "hat", darker(colour, 0.3), rx * 0.18, (x - rx * 1.1, brow + ry * 0.1), (x + rx * 1.2, brow + ry * 0.1)
        )
    elif kind == "headscarf":
        _dome(pen, colour, x, y - ry * 0.2, rx * 1.2, ry * 0.98)
        pen.line(
            "hat",
            colour,
            rx * 0.55,
            (x - rx * 0.92, y - ry * 0.3),
            (x - rx * 0.85, y + ry * 0.6),
            (x - rx * 0.2, y + ry * 1.12),
        )
        pen.line("hat", darker(colour, 0.15), rx * 0.14, (x - rx * 0.9, y - ry * 0.35), (x + rx * 1.02, y - ry * 0.4))
    elif kind == "veil":
        pen.line(
            "hat", colour, rx * 0.7, (x - rx * 0.8, y - ry * 0.8), (x - rx * 1.3, y + ry), (x - rx * 1.7, y + ry * 4)
        )
        pen.line("hat", lighter(colour, 0.4), rx * 0.4, (x - rx * 0.7, y - ry * 0.85), (x + rx * 0.5, y - ry * 0.95))
    else:
        raise ValueError(f"no such hat: {kind!r}")


def _dome(pen: Pen, colour: tuple[int, ...], x: float, y: float, rx: float, height: float) -> None:
    around = [math.radians(a) for a in range(180, 361, 15)]
    pen.fill("hat", colour, *[(x + rx * math.cos(a), y + height * math.sin(a)) for a in around])
