"""The reader for COCO: captions*.json, and if they are there instances*.json and pictures in images/."""

import math
from collections.abc import Collection, Iterator
from pathlib import Path

from annotation.bounds import LONGEST_CAPTION, MOST_BOXES, MOST_CAPTIONS
from annotation.rules.box import Box
from exchange.checks import as_id, as_list, as_number, as_pixels, as_text, member
from exchange.coco.own_fields import chains_of, chains_of_box, marked_caption
from exchange.coco.tables import Id, Row, Tables, caption_files, read_tables
from exchange.dataset import DatasetBox, DatasetCaption, DatasetImage, DatasetMention, Problem
from exchange.find_pictures import FoundPictures
from exchange.names import image_name, names_of, natural_key, same_path
from exchange.picture_files import FolderPictures, Pictures, check_size
from exchange.problems import Defect, source_error

PICTURE_FOLDER = "images"
# COCO gives coordinates in hundredths of a pixel. Anything below a millionth is floating-point noise.
_DIGITS = 6
_SHOWN = 3
_SLACK = 1
"""The number of pixels that a box may reach over the border; it is clipped, not refused."""


def read_coco(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    They are not chunked, unless the file is an export with phrases, whose chains are read, too.

    Boxes become the smallest whole-pixel boxes around them, crowd boxes too. `pictures` are the source's pictures if
    they are not in its folder; they are found wherever they lie. Raises SourceError without captions*.json, for a file
    that is not COCO's, and for pictures of which no image names one.
    """
    files = caption_files(path)
    if not files:
        raise source_error(path, "has no captions*.json, neither in it nor in annotations/")
    tables = read_tables(path)
    by_path, problems = _by_path(tables)
    found = FoundPictures(pictures or FolderPictures(path), by_path, folders=(PICTURE_FOLDER,))
    found.check(files[0].relative_to(path).as_posix())
    yield from tables.problems
    yield from problems
    names = names_of(by_path)
    for file_name in sorted(by_path, key=lambda one: natural_key(names[one])):
        image, row = by_path[file_name]
        try:
            yield _image(found, tables, names[file_name], image, row)
        except Defect as defect:
            yield defect.problem(row.file, file_name)


def _by_path(tables: Tables) -> tuple[dict[str, tuple[Id, Row]], list[Problem]]:
    """Return the images by path, and a problem for each that has no usable path, or an id or path of another."""
    found: dict[str, list[tuple[str, Id, Row]]] = {}
    problems = []
    for image, rows in tables.images.items():
        for row in rows:
            try:
                file = _path_of(row)
                if len(rows) > 1:
                    raise Defect(f"{row.where}: the image id {image!r} occurs {_times(len(rows))}")
                found.setdefault(same_path(file), []).append((file, image, row))
            except Defect as defect:
                problems.append(defect.problem(row.file, _name_of(row, image), key=f"{row.file}:{row.where}"))
    for same in found.values():
        for file, _, row in same if len(same) > 1 else ():
            others = [other.where for _, _, other in same[: _SHOWN + 1] if other is not row][:_SHOWN]
            more = f" and {len(same) - 1 - len(others):,} more" if len(same) > len(others) + 1 else ""
            message = f"{row.where}: the file_name {file!r} is that of {', '.join(others)}{more}, too"
            problems.append(Problem(row.file, None, file, message, key=f"{row.file}:{row.where}"))
    return {file: (image, row) for ((file, image, row), *others) in found.values() if not others}, problems


def _path_of(row: Row) -> str:
    file = as_text(member(row.value, "file_name", row.where), f"{row.where}.file_name")
    image_name(file)
    return file


def _name_of(row: Row, image: Id) -> str:
    """Return what an image that is left out is called: its file_name if it has one, otherwise its id."""
    file = row.value.get("file_name")
    return file if isinstance(file, str) and file else str(image)


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _image(found: FoundPictures, tables: Tables, name: str, image: Id, row: Row) -> DatasetImage:
    if image in tables.twice:
        raise tables.twice[image]
    width = as_pixels(member(row.value, "width", row.where), f"{row.where}.width")
    height = as_pixels(member(row.value, "height", row.where), f"{row.where}.height")
    listed = tables.captions.get(image, []), tables.boxes.get(image, [])
    for rows, what, most in zip(listed, ("captions", "boxes"), (MOST_CAPTIONS, MOST_BOXES), strict=True):
        if len(rows) > most:
            raise Defect(f"{row.where} has {len(rows):,} {what}: at most {most:,} are allowed")
    captions, mentions = [], []
    for number, entry in enumerate(listed[0]):
        caption, marked = _caption(entry, number)
        captions.append(caption)
        mentions += marked
    if not captions:
        raise Defect(f"{row.where} has no captions")
    named = {one.chain for one in mentions}
    boxes = tuple(_box(tables, entry, width, height, named) for entry in listed[1])
    file_name, picture = row.value["file_name"], None
    if found:
        picture = found.of(file_name)
        check_size(found.pictures, picture, width, height)
    return DatasetImage(
        name=name,
        width=width,
        height=height,
        captions=tuple(captions),
        mentions=tuple(mentions),
        chains=chains_of(tables.chains.get(image, ()), mentions),
        boxes=boxes,
        picture=picture,
        source=f"{row.file}:{row.where}",
        path=file_name,
        coco_id=image,
    )


def _caption(row: Row, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    text = as_text(member(row.value, "caption", row.where), f"{row.where}.caption")
    if not text.strip():
        raise Defect(f"{row.where}.caption is empty")
    if len(text) > LONGEST_CAPTION:
        raise Defect(f"{row.where}.caption has {len(text):,} characters: at most {LONGEST_CAPTION:,} are allowed")
    return marked_caption(text, row, number)


def _box(tables: Tables, row: Row, width: int, height: int, named: Collection[str | None]) -> DatasetBox:
    where = f"{row.file} {row.where}"
    category = as_id(member(row.value, "category_id", where), f"{where}.category_id")
    if category not in tables.categories:
        raise Defect(f"{where}.category_id {category!r} is in no list of categories")
    box = whole_box(member(row.value, "bbox", where), width, height, f"{where}.bbox")
    if chains := chains_of_box(row, named):
        return DatasetBox(box, chains)
    return DatasetBox(box, category=tables.categories[category])


def whole_box(value: object, width: int, height: int, where: str) -> Box:
    """Return the smallest whole-pixel box around [x, y, width, height], clipped to the image. Sizes in pixels.

    Raises Defect for a value that is not a box, has no area, or reaches more than a pixel over the border.
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
