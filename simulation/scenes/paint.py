"""Painting: shapes onto a picture, drawn large and made smaller so that their edges are smooth."""

import math
from collections.abc import Iterable
from itertools import pairwise

from PIL import Image, ImageDraw

from simulation.scenes.shapes import HEIGHT, WIDTH, Band, Blob, Colour, Layer, Oval

FINER = 3
"""The factor by which everything is drawn larger than the picture."""


def paint(layers: Iterable[Layer]) -> Image.Image:
    """An RGB picture of WIDTH x HEIGHT with the layers from back to front."""
    canvas = Image.new("RGB", (WIDTH * FINER, HEIGHT * FINER), "white")
    # The second blends a colour with alpha into the picture below it, which takes thrice as long.
    opaque, glassy = ImageDraw.Draw(canvas), ImageDraw.Draw(canvas, "RGBA")
    for layer in layers:
        if isinstance(layer, Band):
            _band(canvas, layer)
            continue
        pencil = opaque if len(layer.colour) == 3 else glassy
        if isinstance(layer, Blob):
            _blob(pencil, layer)
        else:
            _oval(pencil, layer)
    return canvas.reduce(FINER)


def _band(canvas: Image.Image, band: Band) -> None:
    top, bottom = round(band.top * FINER), round(band.bottom * FINER)
    column = Image.new("RGB", (1, 64))
    for i in range(64):
        share = i / 63
        colour = [round(a + (b - a) * share) for a, b in zip(band.first, band.last, strict=True)]
        column.putpixel((0, i), (colour[0], colour[1], colour[2]))
    # Stretched in two steps: the blend is only worked out once per row.
    tall = column.resize((1, bottom - top), Image.Resampling.BILINEAR)
    canvas.paste(tall.resize((WIDTH * FINER, bottom - top), Image.Resampling.NEAREST), (0, top))


def _blob(pencil: ImageDraw.ImageDraw, blob: Blob) -> None:
    points = [(x * FINER - 0.5, y * FINER - 0.5) for x, y in blob.points]
    radius = blob.radius * FINER
    if blob.closed:
        pencil.polygon(points, fill=blob.colour)
    if radius <= 0:
        return
    if len(blob.colour) == 4 and len(points) > 1:
        raise ValueError(f"a see-through {blob.part!r} with a round pen would be blended twice where strokes meet")
    ends = [*points, points[0]] if blob.closed else points
    for (ax, ay), (bx, by) in pairwise(ends):
        _stick(pencil, ax, ay, bx, by, radius, blob.colour)
    for x, y in points:
        pencil.ellipse((x - radius, y - radius, x + radius, y + radius), fill=blob.colour)


def _stick(
    pencil: ImageDraw.ImageDraw, ax: float, ay: float, bx: float, by: float, radius: float, colour: Colour
) -> None:
    length = math.hypot(bx - ax, by - ay)
    if length < 0.01:
        return
    dx, dy = (by - ay) / length * radius, (ax - bx) / length * radius
    pencil.polygon([(ax + dx, ay + dy), (bx + dx, by + dy), (bx - dx, by - dy), (ax - dx, ay - dy)], fill=colour)


def _oval(pencil: ImageDraw.ImageDraw, oval: Oval) -> None:
    x, y, rx, ry = (v * FINER for v in (oval.x, oval.y, oval.rx, oval.ry))
    x, y = x - 0.5, y - 0.5
    if not oval.angle:
        pencil.ellipse((x - rx, y - ry, x + rx, y + ry), fill=oval.colour)
        return
    cos, sin = math.cos(math.radians(oval.angle)), math.sin(math.radians(oval.angle))
    turns = [math.tau * i / 72 for i in range(72)]
    around = [(rx * math.cos(t), ry * math.sin(t)) for t in turns]
    pencil.polygon([(x + u * cos - v * sin, y + u * sin + v * cos) for u, v in around], fill=oval.colour)
