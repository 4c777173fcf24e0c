"""The reader for folders of Hugging Face's `imagefolder`: pictures with captions and boxes in metadata.jsonl."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from annotation.rules.mention_type import MentionType
from exchange.checks import as_id, as_list, as_pixels, as_text, kind, member
from exchange.coco.read import whole_box
from exchange.dataset import DatasetImage, Problem
from exchange.grounding.hub import METADATA, NO_PHRASE
from exchange.grounding.said import SaidCaption, SaidImage, bad_lines, caption_text, dataset_images
from exchange.names import same_path
from exchange.picture_files import FolderPictures, Pictures, size_of
from exchange.problems import Defect, source_error

CAPTIONS = ("captions", "caption", "text")
"""The columns in which data sets of the hub have captions: a list of texts, or one text."""
NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
CATEGORIES = ("categories", "category")
PARALLEL = ("bbox", *CATEGORIES, "phrase", "caption", "start", "end", "chain")
_TYPES = frozenset(map(str, MentionType))


class Place(NamedTuple):
    """The place of a row: its file, and the row as messages name it."""

    file: str
    where: str
    line: int | None = None


def read_hub(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names.

    `objects` with `caption`, `start` and `end` beside `bbox` are phrases with boxes, as our exports have them; others
    are boxes with a category. Rows without `width` and `height` take them from their picture. Raises SourceError for a
    folder without metadata.jsonl, and for a file with too many bad lines.
    """
    file = path / METADATA
    if not file.is_file():
        raise source_error(path, f"has no {METADATA}")
    there = pictures or FolderPictures(path)
    images: dict[str, SaidImage] = {}
    yield from bad_lines(
        file, METADATA, lambda row, line: add_row(images, row, Place(METADATA, f"line {line}", line), there)
    )
    yield from dataset_images(images.values(), there, METADATA)


def add_row(images: dict[str, SaidImage], row: Any, place: Place, pictures: Pictures) -> None:
    """Add the image of a row. Raises Defect for a row that names no image, or one that is there already."""
    where = place.where
    path = as_text(member(row, "file_name", where), f"{where}: file_name")
    if (other := images.get(same_path(path))) is not None:
        raise Defect(f"{where}: {path} is also in {other.where}" + f" of {other.file}" * (other.file != place.file))
    if "width" in row or "height" in row:
        width, height = (as_pixels(member(row, side, where), f"{where}: {side}") for side in ("width", "height"))
    else:
        width, height = size_of(pictures, path)
    image = images[same_path(path)] = SaidImage(path, width, height, *place)
    try:
        if row.get("image_id") is not None:
            image.coco_id = _coco_id(row["image_id"], f"{where}: image_id")
        image.captions = _captions(row, where)
        if row.get("objects") is not None:
            _add_objects(row["objects"], image, f"{where}: objects")
    except Defect as defect:
        image.bad.append(Defect(defect.message, place.line))


def _coco_id(value: object, where: str) -> int | str:
    """Return the id. A column holds one kind of value, so that exports write numbers as texts."""
    said = as_id(value, where)
    return int(said) if isinstance(said, str) and NUMBER.fullmatch(said) else said


def _captions(row: Any, where: str) -> list[SaidCaption]:
    column = next((name for name in CAPTIONS if name in row), None)
    if column is None:
        raise Defect(f"{where} has none of the columns {', '.join(CAPTIONS)}: images need captions")
    texts = [row[column]] if isinstance(row[column], str) else as_list(row[column], f"{where}: {column}")
    if not texts:
        raise Defect(f"{where}: {column} is empty")
    return [SaidCaption(caption_text(one, f"{where}: {column}[{place}]"), where) for place, one in enumerate(texts)]


def _add_objects(objects: Any, image: SaidImage, where: str) -> None:
    columns = {name: as_list(objects[name], f"{where}.{name}") for name in PARALLEL if name in _object(objects, where)}
    if "bbox" not in columns:
        raise Defect(f"{where} has no 'bbox'")
    lengths = {name: len(own) for name, own in columns.items()}
    if len({*lengths.values()}) > 1:
        told = ", ".join(f"{name} {count}" for name, count in lengths.items())
        raise Defect(f"{where}: the lists differ in length: {told}")
    for place in range(lengths["bbox"]):
        own = f"{where}[{place}]"
        box = whole_box(columns["bbox"][place], image.width, image.height, f"{own}.bbox")
        value = {name: column[place] for name, column in columns.items()}
        if {"caption", "start", "end"} <= value.keys() and value["caption"] != NO_PHRASE:
            caption = _caption_at(value["caption"], image, own)
            span = _span(value, caption.text, own)
            caption.boxes.setdefault(span, []).append(box)
            if "chain" in value:
                caption.chains[span] = as_text(value["chain"], f"{own}.chain")
            if value.get("categories") in _TYPES:
                caption.types[span] = (value["categories"],)
        else:
            image.loose.append((box, _category(value, own)))


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Defect(f"{where} is {kind(value)}, not an object of lists")
    return value


def _caption_at(place: object, image: SaidImage, where: str) -> SaidCaption:
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(image.captions):
        raise Defect(f"{where}.caption is {place!r}: the image has {len(image.captions)} captions, counted from 0")
    return image.captions[place]


def _span(value: dict[str, Any], text: str, where: str) -> tuple[int, int]:
    start, end = value["start"], value["end"]
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in (start, end))
    if not whole or not 0 <= start < end <= len(text):
        raise Defect(f"{where}: [{start!r}, {end!r}) is no part of a caption of {len(text)} characters")
    if "phrase" in value and value["phrase"] != text[start:end]:
        raise Defect(f"{where}.phrase is {str(value['phrase'])[:60]!r}, but the caption has {text[start:end]!r} there")
    return start, end


def _category(value: dict[str, Any], where: str) -> str:
    column = next((name for name in CATEGORIES if name in value), None)
    if column is None:
        raise Defect(f"{where} has neither a phrase (caption, start, end) nor a category (categories)")
    category = value[column]
    return str(category) if isinstance(category, int) else as_text(category, f"{where}.{column}")
