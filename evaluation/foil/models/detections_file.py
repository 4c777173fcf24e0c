"""Detections for the box-aware model: JSON Lines, an image a line with the categories of its boxes."""

from pathlib import Path

from evaluation.errors import InputError
from evaluation.reading.json_lines import json_lines, member


def read_detections(path: Path) -> dict[str, set[str]]:
    """Return the categories of each image. Raises InputError, which names the line."""
    found: dict[str, set[str]] = {}
    for where, value in json_lines(path):
        image, categories = str(member(value, "image", where)), member(value, "categories", where)
        if not isinstance(categories, list) or not all(isinstance(one, str) for one in categories):
            raise InputError(f"{where}: the field 'categories' is not a list of names.")
        if image in found:
            raise InputError(f"{where}: the image {image!r} stands twice: write all its categories on one line.")
        found[image] = set(categories)
    if not found:
        raise InputError(f"{path.name} holds no detections.")
    return found
