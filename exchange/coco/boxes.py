"""COCO's boxes [x, y, width, height] in fractions of pixels, as whole pixels."""

import math

from annotation.rules.box import Box
from exchange.checks import as_list, as_number
from exchange.problems import Defect

# COCO states hundredths; what is left below a millionth is the noise of somebody's floats.
_DIGITS = 6
_SLACK = 1
"""How many pixels a box may reach over the border and is still clipped, not refused."""


def whole_box(value: object, width: int, height: int, where: str) -> Box:
    """The smallest whole-pixel box around the stated one, clipped to the image. Sizes in pixels.

    Raises Defect for what is no box, has no area, or reaches more than a pixel over the border.
    """
    numbers = [as_number(number, where) for number in as_list(value, where)]
    if len(numbers) != 4:
        raise Defect(f"{where} has {len(numbers)} numbers, not 4 (x, y, width, height)")
    x, y, w, h = numbers
    if w <= 0 or h <= 0:
        raise Defect(f"{where} {numbers} has no area")
    x1, y1 = round(x + w, _DIGITS), round(y + h, _DIGITS)
    if min(x, y) < -_SLACK or x1 > width + _SLACK or y1 > height + _SLACK:
        raise Defect(f"{where} {numbers} is not inside the image of {width} x {height} pixels")
    box = Box(
        max(0, math.floor(round(x, _DIGITS))),
        max(0, math.floor(round(y, _DIGITS))),
        min(width, math.ceil(x1)),
        min(height, math.ceil(y1)),
    )
    if not box.fits(width, height):
        raise Defect(f"{where} {numbers} is outside the image of {width} x {height} pixels")
    return box
