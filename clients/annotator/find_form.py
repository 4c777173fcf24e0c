"""Finds out in which form a model gives boxes, by examples whose right boxes are known."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clients.annotator.coordinates import Box, Form, PictureSizes, iou, to_box
from clients.annotator.errors import NoAnswer, WrongUse

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
            f"gave boxes for {len(drawn)}. {NAME_IT}, or make more examples (the command stock --examples)."
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


def _best_iou(one: FormExample, form: Form) -> float:
    try:
        box: Box = to_box(one.numbers, form, one.frame)
    except NoAnswer:
        return 0.0
    return max((iou(box, right) for right in one.right), default=0.0)
