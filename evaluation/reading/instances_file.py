"""Categories of the boxes of each image, from COCO instances (.json)."""

from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.reading.json_lines import coco_id, coco_name, json_file, member


def read_instances(path: Path) -> dict[str, set[str]]:
    """Return the names of the categories of each image's boxes, by the image's name without ending.

    Raises InputError, which names the file and the entry.
    """
    value = json_file(path)
    categories = {
        coco_id(member(one, "id", where), f"{where}: the id"): str(member(one, "name", where))
        for where, one in _entries(value, "categories", path.name)
    }
    names = {
        coco_id(member(one, "id", where), f"{where}: the id"): coco_name(one, where)
        for where, one in _entries(value, "images", path.name)
    }
    found: dict[str, set[str]] = {name: set() for name in names.values()}
    for where, one in _entries(value, "annotations", path.name):
        image, category = (
            coco_id(member(one, key, where), f"{where}: the field {key!r}") for key in ("image_id", "category_id")
        )
        if image not in names:
            raise InputError(f"{where}: the image {str(image)[:40]} is not among the images of the file.")
        if category not in categories:
            raise InputError(f"{where}: the category {str(category)[:40]} is not among the categories of the file.")
        found[names[image]].add(categories[category])
    return found


def _entries(value: Any, name: str, file: str) -> list[tuple[str, Any]]:
    found = member(value, name, file)
    if not isinstance(found, list):
        raise InputError(f"{file}: the field {name!r} is not a list: give a file of COCO instances.")
    return [(f"{file}, {name}, entry {place}", one) for place, one in enumerate(found, start=1)]
