"""Forms of predicted boxes: pixels or shares of the picture, corners or a centre with width and height."""

from typing import Any

from evaluation.errors import InputError
from evaluation.reading.json_lines import number
from evaluation.reading.picture import Box

FORMS = ("xyxy", "xywh", "xyxy-normalised", "cxcywh-normalised", "xyxy-1000", "yxyx-1000")
"""Corners; a corner with width and height; as shares from 0 to 1; and in thousandths, as language models give them."""
BOX_FORM_LABELS = {
    "xyxy": "left, top, right, bottom in pixels",
    "xywh": "left, top, width, height in pixels",
    "xyxy-normalised": "left, top, right, bottom from 0 to 1",
    "cxcywh-normalised": "centre, width, height from 0 to 1",
    "xyxy-1000": "left, top, right, bottom from 0 to 1000",
    "yxyx-1000": "top, left, bottom, right from 0 to 1000",
}
SLACK = 1.0
"""Pixels by which a box may cross the edge of its picture, as rounding makes it. They are cut off."""


def read_box(value: Any, form: str, size: tuple[int, int], what: str, *, clip: bool = False) -> Box:
    """Return one box in pixels, x0, y0, x1, y1. `size`: width and height of the picture.

    Raises InputError, which begins with `what`, for no four numbers, a box without area, or one that reaches outside
    the picture; with `clip` it is cut at the edge instead.
    """
    if not isinstance(value, list | tuple) or len(value) != 4:
        has = f"has {len(value)} numbers" if isinstance(value, list | tuple) else "is not a list"
        raise InputError(f"{what} {has}: write 4, {BOX_FORM_LABELS[form]}.")
    x0, y0, x1, y1 = _corners([number(edge, what) for edge in value], form)
    width, height = size
    if form.endswith("-normalised"):
        x0, y0, x1, y1 = x0 * width, y0 * height, x1 * width, y1 * height
    if form.endswith("-1000"):
        x0, y0, x1, y1 = x0 * width / 1000, y0 * height / 1000, x1 * width / 1000, y1 * height / 1000
    if x0 >= x1 or y0 >= y1:
        raise InputError(f"{what} {value} has no area: write {BOX_FORM_LABELS[form]}.")
    slack = max(width, height) if clip else SLACK
    if x0 < -slack or y0 < -slack or x1 > width + slack or y1 > height + slack:
        raise InputError(f"{what} {value} reaches outside the picture of {width} x {height} pixels.")
    cut = max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)
    if cut[0] >= cut[2] or cut[1] >= cut[3]:
        raise InputError(f"{what} {value} lies outside the picture of {width} x {height} pixels.")
    return cut


def _corners(values: list[float], form: str) -> tuple[float, float, float, float]:
    a, b, c, d = values
    if form == "xywh":
        return a, b, a + c, b + d
    if form == "cxcywh-normalised":
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    if form == "yxyx-1000":
        return b, a, d, c
    return a, b, c, d
