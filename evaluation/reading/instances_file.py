"""Categories of the boxes of each image, from COCO instances (.json)."""

from pathlib import Path, PurePosixPath
from typing import Any

from evaluation.reading.json_lines import json_file, member
from evaluation.refused import Refused


def read_instances(path: Path) -> dict[str, set[str]]:
    """Return the names of the categories of each image's boxes, by the image's name without ending.

    Raises Refused, which names the file and the entry.
    """
    value = json_file(path)
    categories = {
        str(member(one, "id", where)): str(member(one, "name", where))
        for where, one in _entries(value, "categories", path.name)
    }
    names = {
        str(member(one, "id", where)): PurePosixPath(str(member(one, "file_name", where))).stem
        for where, one in _entries(value, "images", path.name)
    }
    found: dict[str, set[str]] = {name: set() for name in names.values()}
    for where, one in _entries(value, "annotations", path.name):
        image, category = str(member(one, "image_id", where)), str(member(one, "category_id", where))
        if image not in names:
            raise Refused(f"{where}: the image {image[:40]} is not among the images of the file.")
        if category not in categories:
            raise Refused(f"{where}: the category {category[:40]} is not among the categories of the file.")
        found[names[image]].add(categories[category])
    return found


def _entries(value: Any, name: str, file: str) -> list[tuple[str, Any]]:
    found = member(value, name, file)
    if not isinstance(found, list):
        raise Refused(f"{file}: the field {name!r} is no list: give a file of COCO instances.")
    return [(f"{file}, {name}, entry {place}", one) for place, one in enumerate(found, start=1)]
