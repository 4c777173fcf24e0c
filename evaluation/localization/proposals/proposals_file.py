"""Proposals from a file [paper 4.1.2]: a line of JSON for each image, its boxes in the order of their scores."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired

import numpy as np
from annotated_types import Len
from numpy.typing import NDArray
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.reading.json_lines import json_lines

Boxes = NDArray[np.float64]


class ProposalLine(TypedDict):
    """The boxes of an image in which a phrase may be."""

    image: str
    """Its name in the export."""
    boxes: Sequence[Annotated[Sequence[float], Len(4, 4)]]
    """[left, top, right, bottom] in pixels, end exclusive."""
    scores: NotRequired[Sequence[float]]
    """A number for each box; without them the first box is the best."""


def read_proposals(file: Path, sizes: Mapping[str, tuple[int, int]]) -> dict[str, Boxes]:
    """Return the boxes (n, 4) of each image; with `scores`, those of the highest score first, ties in the file's order.

    A line: {"image": NAME, "boxes": [[x0, y0, x1, y1], ...], "scores": [...]}; boxes in 0-based, half-open pixels.
    Raises InputError, naming the line.
    """
    found: dict[str, Boxes] = {}
    for where, entry in json_lines(file):
        name = entry.get("image") if isinstance(entry, dict) else None
        if not isinstance(name, str) or name not in sizes:
            raise InputError(f"{where}: image {name!r} is not in the export.")
        if name in found:
            raise InputError(f"{where}: image {name} has proposals already.")
        found[name] = _boxes(entry, where, *sizes[name])
    return found


def _boxes(entry: Mapping[str, Any], where: str, width: int, height: int) -> Boxes:
    boxes, scores = entry.get("boxes"), entry.get("scores")
    if not isinstance(boxes, list) or not all(_is_numbers(box, 4) for box in boxes):
        raise InputError(f"{where}: `boxes` must be a list of [x0, y0, x1, y1] with finite numbers.")
    for number, (x0, y0, x1, y1) in enumerate(boxes, 1):
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            raise InputError(
                f"{where}: box {number}, [{x0}, {y0}, {x1}, {y1}], is not inside {width} x {height} pixels."
            )
    array = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    if scores is None:
        return array
    if not _is_numbers(scores, len(boxes)):
        raise InputError(f"{where}: `scores` must hold one finite number for each of {len(boxes)} boxes.")
    return array[np.argsort(-np.array(scores, dtype=np.float64), kind="stable")]


def _is_numbers(values: object, count: int) -> bool:
    """Tell whether the values are a list of `count` finite numbers."""
    return (
        isinstance(values, list)
        and len(values) == count
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in values)
    )


def proposal_lines(proposals: Mapping[str, Boxes]) -> str:
    """Return the text of a file of proposals; corners with two decimals."""
    lines: list[ProposalLine] = [
        {"image": name, "boxes": np.round(boxes, 2).tolist()} for name, boxes in proposals.items()
    ]
    return "".join(f"{json.dumps(line)}\n" for line in lines)
