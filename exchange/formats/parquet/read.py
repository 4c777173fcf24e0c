"""The reader for Parquet files of the hub: a row an image, with its picture inside or beside the file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.bounds import MOST_BAD_LINES
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.formats.hub.read import CAPTIONS, CATEGORIES, TO_ADD, Place, add_row
from exchange.formats.parquet.pictures import ParquetPictures
from exchange.formats.picture_files import Pictures
from exchange.formats.spans import SaidImages, dataset_images, unnamed
from exchange.problems import Defect, source_error

COLUMNS = ["image.path", "file_name", "width", "height", "image_id", *CAPTIONS, "objects"]


def read_parquet(
    path: Path, pictures: Pictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of the files and their rows, read as those of a hub folder.

    A row names its picture by `file_name` or by the path in `image`; others get a name from file and row. Categories
    are numbers or texts; numbers stand for the names that the file gives them. Raises SourceError for a folder without
    Parquet files, and for one that cannot be read.
    """
    there = pictures if isinstance(pictures, ParquetPictures) else ParquetPictures(path, pictures)
    images = SaidImages(there.shown(0), there, form, to_add=TO_ADD)
    bad = 0
    names = iter(there.names)
    for file in range(len(there.files)):
        categories = _category_names(there.files[file].schema_arrow.metadata)
        for number, (_, row) in enumerate(there.rows(file, COLUMNS), start=1):
            place = Place(there.shown(file), f"row {number}")
            _, name = next(names)
            try:
                if row is None:
                    raise Defect(f"{place.where} holds a text that is not UTF-8")
                row.pop("image", None)
                add_row(images, _named(row, categories) | {"file_name": name}, place)
            except Defect as defect:
                bad += 1
                yield unnamed(defect, place.file, place.where, name)
                if bad > MOST_BAD_LINES:
                    raise source_error(place.file, f"has more than {MOST_BAD_LINES:,} bad rows") from defect
    yield from dataset_images(images.by_path.values(), there, there.shown(0), by_name=False)


def _named(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the row with names for the numbers of categories."""
    objects = row.get("objects")
    if not names or not isinstance(objects, dict):
        return row
    own = {
        column: [names[one] if isinstance(one, int) and 0 <= one < len(names) else one for one in objects[column] or ()]
        for column in CATEGORIES
        if column in objects
    }
    return row | {"objects": objects | own}


def _category_names(metadata: dict[bytes, bytes] | None) -> list[str]:
    """Return the names of categories by their numbers, as `datasets` writes them into files; empty without any."""
    try:
        told: Any = json.loads((metadata or {})[b"huggingface"])
        objects = told["info"]["features"]["objects"]
        objects = objects.get("feature", objects)
        column = next(objects[name] for name in CATEGORIES if name in objects)
        return [str(name) for name in column["feature"]["names"]]
    except (KeyError, ValueError, TypeError, AttributeError, StopIteration):
        return []
