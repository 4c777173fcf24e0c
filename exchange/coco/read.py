"""The reader for COCO: captions*.json, and if they are there instances*.json and pictures in images/."""

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from annotation.bounds import LONGEST_CAPTION, MOST_BOXES, MOST_CAPTIONS
from annotation.rules.box import Box
from exchange.checks import as_id, as_list, as_number, as_pixels, as_text, member
from exchange.coco.tables import Id, Row, Tables, caption_files, read_tables
from exchange.dataset import DatasetBox, DatasetCaption, DatasetImage, Problem
from exchange.names import checked_path, image_name, natural_key
from exchange.picture_files import FolderPictures, Pictures, check_size
from exchange.problems import Defect, source_error
from exchange.words import tokenized_caption

PICTURE_FOLDER = "images"
# COCO gives coordinates in hundredths of a pixel. Anything below a millionth is floating-point noise.
_DIGITS = 6
_SLACK = 1
"""The number of pixels that a box may reach over the border; it is clipped, not refused."""


def read_coco(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file, not chunked.

    Boxes become the smallest whole-pixel boxes around them, crowd boxes too. `pictures` are the source's pictures if
    they are not in its folder. Raises SourceError without captions*.json, and for a file that is not COCO's.
    """
    pictures = pictures or FolderPictures(path)
    if not caption_files(path):
        raise source_error(path, "has no captions*.json, neither in it nor in annotations/")
    tables = read_tables(path)
    yield from tables.problems
    named, problems = _by_name(tables)
    yield from problems
    clashes = Counter(name.casefold() for name in named)
    for name in sorted(named, key=natural_key):
        image, row = named[name]
        try:
            if clashes[name.casefold()] > 1:
                raise Defect(f"{row.where}: another image has this name but for case")
            yield _image(pictures, tables, name, image, row)
        except Defect as defect:
            yield defect.problem(row.file, name)


def _by_name(tables: Tables) -> tuple[dict[str, tuple[Id, Row]], list[Problem]]:
    """Return the images by name, and a problem for each image with an unusable name or a repeated id or name."""
    found: dict[str, list[tuple[Id, Row]]] = {}
    problems = []
    for image, rows in tables.images.items():
        try:
            if len(rows) > 1:
                raise Defect(f"{rows[1].where}: the image id {image!r} occurs twice")
            file = as_text(member(rows[0].value, "file_name", rows[0].where), f"{rows[0].where}.file_name")
            found.setdefault(image_name(file), []).append((image, rows[0]))
        except Defect as defect:
            problems.append(defect.problem(rows[-1].file, str(image)))
    for name, same in found.items():
        if len(same) > 1:
            row = same[1][1]
            problems.append(
                Problem(row.file, None, name, f"{row.where}: another image has this name but for its ending")
            )
    return {name: same[0] for name, same in found.items() if len(same) == 1}, problems


def _image(pictures: Pictures, tables: Tables, name: str, image: Id, row: Row) -> DatasetImage:
    if image in tables.twice:
        raise tables.twice[image]
    width = as_pixels(member(row.value, "width", row.where), f"{row.where}.width")
    height = as_pixels(member(row.value, "height", row.where), f"{row.where}.height")
    listed = tables.captions.get(image, []), tables.boxes.get(image, [])
    for rows, what, most in zip(listed, ("captions", "boxes"), (MOST_CAPTIONS, MOST_BOXES), strict=True):
        if len(rows) > most:
            raise Defect(f"{row.where} has {len(rows):,} {what}: at most {most:,} are allowed")
    captions = tuple(_caption(entry) for entry in listed[0])
    if not captions:
        raise Defect(f"{row.where} has no captions")
    boxes = tuple(_box(tables, entry, width, height) for entry in listed[1])
    picture = None
    if pictures.has_folder(PICTURE_FOLDER):
        picture = f"{PICTURE_FOLDER}/{checked_path(row.value['file_name'])}"
        check_size(pictures, picture, width, height)
    return DatasetImage(
        name=name,
        width=width,
        height=height,
        captions=captions,
        boxes=boxes,
        picture=picture,
        source=f"{row.file}:{row.where}",
    )


def _caption(row: Row) -> DatasetCaption:
    text = as_text(member(row.value, "caption", row.where), f"{row.where}.caption")
    if not text.strip():
        raise Defect(f"{row.where}.caption is empty")
    if len(text) > LONGEST_CAPTION:
        raise Defect(f"{row.where}.caption has {len(text):,} characters: at most {LONGEST_CAPTION:,} are allowed")
    return tokenized_caption(text)


def _box(tables: Tables, row: Row, width: int, height: int) -> DatasetBox:
    where = f"{row.file} {row.where}"
    category = as_id(member(row.value, "category_id", where), f"{where}.category_id")
    if category not in tables.categories:
        raise Defect(f"{where}.category_id {category!r} is in no list of categories")
    box = whole_box(member(row.value, "bbox", where), width, height, f"{where}.bbox")
    return DatasetBox(box, category=tables.categories[category])


def whole_box(value: object, width: int, height: int, where: str) -> Box:
    """Return the smallest whole-pixel box around [x, y, width, height], clipped to the image. Sizes in pixels.

    Raises Defect for a value that is no box, has no area, or reaches more than a pixel over the border.
    """
    numbers = [as_number(number, where) for number in as_list(value, where)]
    if len(numbers) != 4:
        raise Defect(f"{where} has {len(numbers)} numbers, not 4 (x, y, width, height)")
    x, y, w, h = numbers
    if w <= 0 or h <= 0:
        raise Defect(f"{where} {numbers} has no area")
    x1, y1 = round(x + w, _DIGITS), round(y + h, _DIGITS)
    if min(x, y) < -_SLACK or x1 > width + _SLACK or y1 > height + _SLACK:
        raise Defect(f"{where} {numbers} is not inside the image of {width} x {height} pixels")
    box = Box(
        max(0, math.floor(round(x, _DIGITS))),
        max(0, math.floor(round(y, _DIGITS))),
        min(width, math.ceil(x1)),
        min(height, math.ceil(y1)),
    )
    if not box.fits(width, height):
        raise Defect(f"{where} {numbers} is outside the image of {width} x {height} pixels")
    return box
