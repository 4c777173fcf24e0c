"""The reader for folders of Hugging Face's `imagefolder`: pictures, and captions and boxes in a table."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from annotation.rules.mention_type import MentionType
from exchange.checks import as_id, as_list, as_text, kind, member
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.formats.captions_folder.caption_file import Bad, open_csv
from exchange.formats.hub.write import METADATA, NO_PHRASE
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.formats.spans import (
    SaidCaption,
    SaidImage,
    SaidImages,
    bad_lines,
    caption_text,
    check_phrase,
    dataset_images,
    unnamed,
)
from exchange.problems import BadRows, Defect, source_error

TABLE = "metadata.csv"
CAPTIONS = ("captions", "caption", "text")
"""The columns in which data sets of the hub have captions: a list of texts, or one text."""
NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
CATEGORIES = ("categories", "category")
PARALLEL = ("bbox", *CATEGORIES, "phrase", "caption", "start", "end", "chain")
TO_ADD = f"add a column {' or '.join(CAPTIONS)} with the caption of each picture"
_TYPES = frozenset(map(str, MentionType))


class Place(NamedTuple):
    """The place of a row: its file, and the row as messages name it."""

    file: str
    where: str
    line: int | None = None


def hub_files(path: Path) -> list[Path]:
    """Return the folder's tables of pictures: its own, or one in each of its folders, as for train and test."""
    for folders in ([path], sorted(one for one in path.iterdir() if one.is_dir())):
        files = [folder / name for folder in folders for name in (METADATA, TABLE) if (folder / name).is_file()]
        if files:
            return files
    return []


def read_hub(
    path: Path, pictures: Pictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names.

    `objects` with `caption`, `start` and `end` beside `bbox` are phrases with boxes, as our exports have them; others
    are boxes with a category. Rows of one picture are one image. Rows without `width` and `height` take them from their
    picture. Raises SourceError for a folder without a table, and for a table with too many bad lines.
    """
    files = hub_files(path)
    if not files:
        raise source_error(path, f"has neither {METADATA} nor {TABLE}, in it or in its folders")
    images = SaidImages(files[0].relative_to(path).as_posix(), pictures or FolderPictures(path), form, to_add=TO_ADD)
    for file in files:
        shown = file.relative_to(path).as_posix()
        inside = shown.removesuffix(file.name)
        if file.name == TABLE:
            yield from _add_table(images, file, shown, inside)
        else:
            yield from _add_lines(images, file, shown, inside)
    yield from dataset_images(images.by_path.values(), images.pictures, images.shown)


def _add_lines(images: SaidImages, file: Path, shown: str, inside: str) -> list[Problem]:
    return bad_lines(
        file, shown, lambda row, line: add_row(images, _inside(row, inside), Place(shown, f"line {line}", line))
    )


def _inside(row: Any, folder: str) -> Any:
    """Return the row with the path of its picture from the source on."""
    if not folder or not isinstance(row, dict) or not isinstance(row.get("file_name"), str):
        return row
    return row | {"file_name": folder + row["file_name"]}


def _add_table(images: SaidImages, file: Path, shown: str, inside: str) -> Iterator[Problem]:
    """Add the rows of a table in CSV, each with one caption."""
    table, bad = open_csv(file), BadRows[Problem]()
    with file.open("rb") as source:
        for block in table.blocks(source, table.start):
            if isinstance(block, Bad):
                yield unnamed(block.defect, shown, f"line {block.defect.line}", inside + block.image)
                continue
            for text, line in zip(block.texts, block.lines, strict=True):
                try:
                    row = {"file_name": inside + block.image, "text": text}
                    add_row(images, row, Place(shown, f"line {line}", line))
                except Defect as defect:
                    bad.append(unnamed(Defect(defect.message, line), shown, f"line {line}", inside + block.image))
                    yield bad[-1]


def add_row(images: SaidImages, row: Any, place: Place) -> None:
    """Add the captions and boxes of a row to its image. Raises Defect for a row that names no image, or no size."""
    where = place.where
    path = as_text(member(row, "file_name", where), f"{where}: file_name")
    image, measured = images.of_row(row, path, where, place.line, place.file)
    if row.get("image_id") is not None:
        with image.details.left_out("the id", place.line):
            image.coco_id = _coco_id(row["image_id"], f"{where}: image_id")
    captions: list[SaidCaption | None] = []
    with image.details.left_out("what is in it", place.line):
        captions = _captions(row, image, place)
    image.captions += [caption for caption in captions if caption is not None]
    if row.get("objects") is not None and measured:
        with image.details.left_out("what is in its objects", place.line):
            _add_objects(row["objects"], image, captions, f"{where}: objects", place.line)


def _coco_id(value: object, where: str) -> int | str:
    """Return the id. A column holds one kind of value, so that exports write numbers as texts."""
    said = as_id(value, where)
    return int(said) if isinstance(said, str) and NUMBER.fullmatch(said) else said


def _captions(row: Any, image: SaidImage, place: Place) -> list[SaidCaption | None]:
    """Return the captions; None in the place of one that is left out."""
    where = place.where
    column = next((name for name in CAPTIONS if name in row), None)
    if column is None:
        raise Defect(f"{where} has none of the columns {', '.join(CAPTIONS)}: images need captions")
    texts = [row[column]] if isinstance(row[column], str) else as_list(row[column], f"{where}: {column}")
    if not texts:
        raise Defect(f"{where}: {column} is empty")
    if not image.has_room(len(texts)):
        return []
    found: list[SaidCaption | None] = []
    for number, text in enumerate(texts):
        found.append(None)
        with image.details.left_out("the caption", place.line):
            found[-1] = SaidCaption(caption_text(text, f"{where}: {column}[{number}]"), where)
    return found


def captions_read(row: Any) -> list[bool]:
    """Tell of each caption of a row whether it is read."""
    found = _captions(row, SaidImage("", 1, 1, "", ""), Place("", ""))
    return [one is not None for one in found]


def _add_objects(
    objects: Any, image: SaidImage, captions: list[SaidCaption | None], where: str, line: int | None
) -> None:
    columns = {name: as_list(objects[name], f"{where}.{name}") for name in PARALLEL if name in _object(objects, where)}
    if "bbox" not in columns:
        raise Defect(f"{where} has no 'bbox'")
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        told = ", ".join(f"{name} {count}" for name, count in lengths.items())
        raise Defect(f"{where}: the lists differ in length: {told}")
    for place in range(lengths["bbox"]):
        with image.details.left_out("the box", line):
            value = {name: column[place] for name, column in columns.items()}
            _add_object(value, image, captions, f"{where}[{place}]", line)


def _add_object(
    value: dict[str, Any], image: SaidImage, captions: list[SaidCaption | None], where: str, line: int | None
) -> None:
    if not {"caption", "start", "end"} <= value.keys() or value["caption"] == NO_PHRASE:
        category = _category(value, where)
        image.loose.append((image.box(value["bbox"], f"{where}.bbox", line), category))
        return
    caption = _caption_at(value["caption"], captions, where)
    span = _span(value, caption.text, where)
    chain = as_text(value["chain"], f"{where}.chain") if "chain" in value else None
    caption.boxes.setdefault(span, []).append(image.box(value["bbox"], f"{where}.bbox", line))
    if chain is not None:
        caption.chains[span] = chain
    kind = value.get("categories")
    if isinstance(kind, str) and kind in _TYPES:
        caption.types[span] = (value["categories"],)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Defect(f"{where} is {kind(value)}, not an object of lists")
    return value


def _caption_at(place: object, captions: list[SaidCaption | None], where: str) -> SaidCaption:
    there = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(captions)
    caption = captions[place] if there and isinstance(place, int) else None
    if caption is None:
        raise Defect(f"{where}.caption is {place!r}: the image has {len(captions)} captions, counted from 0")
    return caption


def _span(value: dict[str, Any], text: str, where: str) -> tuple[int, int]:
    start, end = value["start"], value["end"]
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in (start, end))
    if not whole or not 0 <= start < end <= len(text):
        raise Defect(f"{where}: [{start!r}, {end!r}) is no part of a caption of {len(text)} characters")
    if "phrase" in value:
        check_phrase([(start, end)], value["phrase"], text, where)
    return start, end


def _category(value: dict[str, Any], where: str) -> str:
    column = next((name for name in CATEGORIES if name in value), None)
    if column is None:
        raise Defect(f"{where} has neither a phrase (caption, start, end) nor a category (categories)")
    category = value[column]
    return str(category) if isinstance(category, int) else as_text(category, f"{where}.{column}")
