"""Forms in which models give boxes, turned into boxes of the image, and found out by examples."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from clients.annotator.errors import NoAnswer, WrongUse

Box = tuple[int, int, int, int]
"""[x0, y0, x1, y1] in whole pixels of the upright image, half open."""
OVER = 0.02
"""The share of a side by which a box may reach over the edge of the picture; it is cut there."""


class Form(StrEnum):
    """Units and order of the four numbers. `-yx`: y0, x0, y1, x1, as Gemini gives them (0-1000-yx)."""

    PIXELS = "pixels"
    """Pixels of the picture that was sent."""
    THOUSANDTHS = "0-1000"
    SHARES = "0-1"
    PIXELS_YX = "pixels-yx"
    THOUSANDTHS_YX = "0-1000-yx"
    SHARES_YX = "0-1-yx"


@dataclass(frozen=True, slots=True)
class PictureSizes:
    """Width and height in pixels of the image, and of the picture that was sent."""

    image: tuple[int, int]
    sent: tuple[int, int]


def to_box(numbers: Sequence[float], form: Form, frame: PictureSizes) -> Box:
    """Return the box of the image that the model means. Raises NoAnswer if it is empty or lies outside."""
    x0, y0, x1, y1 = _swapped(numbers, form)
    width, height = _units(form, frame)
    shares = (x0 / width, y0 / height, x1 / width, y1 / height)
    if not all(-OVER <= share <= 1 + OVER for share in shares):
        raise NoAnswer("a box outside the picture")
    sides = frame.image * 2
    left, top, right, bottom = (
        round(min(max(share, 0.0), 1.0) * side) for share, side in zip(shares, sides, strict=True)
    )
    if left >= right or top >= bottom:
        raise NoAnswer("an empty box")
    return left, top, right, bottom


def from_box(box: Sequence[int], form: Form, frame: PictureSizes) -> list[float]:
    """Return the four numbers by which the model would give this box of the image."""
    places = 3 if form in (Form.SHARES, Form.SHARES_YX) else 0
    units, sides = _units(form, frame) * 2, frame.image * 2
    numbers = [round(at / side * unit, places) for at, side, unit in zip(box, sides, units, strict=True)]
    return _swapped(numbers if places else [int(number) for number in numbers], form)


def iou(first: Box, second: Sequence[int]) -> float:
    """Return the intersection over the union of two boxes, 0 to 1."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    both = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return both / (sum(areas) - both)


def _swapped(numbers: Sequence[float], form: Form) -> list[float]:
    a, b, c, d = numbers
    return [b, a, d, c] if form.endswith("-yx") else [a, b, c, d]


def _units(form: Form, frame: PictureSizes) -> tuple[float, float]:
    """Return the numbers that stand for the whole width and the whole height."""
    if form in (Form.PIXELS, Form.PIXELS_YX):
        return frame.sent
    return (1000, 1000) if form in (Form.THOUSANDTHS, Form.THOUSANDTHS_YX) else (1, 1)


LEAST_EXAMPLES, MOST_EXAMPLES = 2, 6
RIGHT = 0.5
"""The mean IOU that the best form must reach."""
AHEAD = 0.1
"""The mean IOU by which it must be ahead of the next."""
NAME_IT = "Name the form with --coordinates"
FILE = "coordinates.json"


@dataclass(frozen=True, slots=True)
class FormExample:
    """Four numbers that a model gave for an example, and the boxes that are right."""

    numbers: Sequence[float]
    frame: PictureSizes
    right: Sequence[Sequence[int]]


def find_form(drawn: Sequence[FormExample]) -> Form:
    """Return the form in which the boxes fit best. Raises WrongUse if that is not clear."""
    if len(drawn) < LEAST_EXAMPLES:
        raise WrongUse(
            f"To find out how the model gives boxes takes {LEAST_EXAMPLES} examples of box drawing with a box, and it "
            f"gave boxes for {len(drawn)}. {NAME_IT}, or make more examples (known_questions --examples)."
        )
    ranked = sorted(((_fit(drawn, form), form) for form in Form), reverse=True)
    (best, form), (second, other) = ranked[:2]
    if best < RIGHT:
        raise WrongUse(
            f"The model's boxes for {len(drawn)} examples fit in no form: their mean IOU is at most {best:.2f} "
            f"({form}). {NAME_IT} if you know it; look at the prompt and the model with the command `try`."
        )
    if best - second < AHEAD:
        raise WrongUse(
            f"The examples do not tell whether the model gives boxes as {form} or as {other}: their mean IOU is "
            f"{best:.2f} and {second:.2f}. {NAME_IT}."
        )
    return form


def stored_form(folder: Path, model: str) -> Form | None:
    """Return the form that was found for this model in an earlier run on the folder."""
    try:
        return Form(_stored_forms(folder)[model])
    except (KeyError, ValueError):
        return None


def keep_form(folder: Path, model: str, form: Form) -> None:
    """Keep the form for later runs and for proposals, beside those of other models."""
    partial = folder / f"{FILE}.partial"
    partial.write_text(json.dumps({**_stored_forms(folder), model: form.value}) + "\n")
    partial.replace(folder / FILE)


def _stored_forms(folder: Path) -> dict[str, Any]:
    """Return the forms by model; none if there is no such file, or it cannot be read."""
    try:
        kept = json.loads((folder / FILE).read_text())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _fit(drawn: Sequence[FormExample], form: Form) -> float:
    return sum(_best_iou(box, form) for box in drawn) / len(drawn)


def _best_iou(example: FormExample, form: Form) -> float:
    try:
        box: Box = to_box(example.numbers, form, example.frame)
    except NoAnswer:
        return 0.0
    return max((iou(box, right) for right in example.right), default=0.0)
