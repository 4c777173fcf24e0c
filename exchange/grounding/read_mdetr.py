"""The reader for MDETR's JSON, as MDETR and GLIP publish it: a row for each caption, boxes by spans of characters."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.bounds import JSON_BYTES
from exchange.checks import as_id, as_list, as_pixels, as_text, member, parse_json
from exchange.coco.read import whole_box
from exchange.dataset import DatasetImage, Problem
from exchange.grounding.said import SaidCaption, SaidImage, caption_text, dataset_images, spans_of
from exchange.names import same_path
from exchange.picture_files import FolderPictures, Pictures
from exchange.problems import BadRows, Defect, source_error
from exchange.read_text import decode, read_bytes

SIGN = re.compile(rb'"tokens_positive(_eval)?"')
HEAD = 1 << 20


def mdetr_files(path: Path) -> list[Path]:
    """Return the .json files of the folder that hold spans of phrases in their first mebibyte, and no `captions`."""
    files = [file for file in sorted(path.glob("*.json")) if file.is_file()]
    return [file for file in files if _is_mdetr(file)]


def _is_mdetr(file: Path) -> bool:
    with file.open("rb") as source:
        head = source.read(HEAD)
    return SIGN.search(head) is not None and b'"phrases"' not in head


def read_mdetr(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    Phrases are those with boxes, and phrases of an image with the very same boxes are one chain, unless the file names
    chains. Types come from the dictionaries. Raises SourceError for a folder without such a file, or with several, and
    for a file that is not MDETR's.
    """
    files = mdetr_files(path)
    if len(files) != 1:
        raise source_error(path, f"has {len(files)} .json files with tokens_positive: it needs one")
    shown = files[0].relative_to(path).as_posix()
    try:
        content = parse_json(decode(read_bytes(files[0], most=JSON_BYTES)))
        rows, boxes = (as_list(member(content, key, "the file"), key) for key in ("images", "annotations"))
    except Defect as defect:
        raise source_error(shown, defect.message, defect.line) from defect
    images, problems = _images(shown, rows)
    yield from problems
    yield from _add_boxes(shown, boxes, images)
    said = {id(image): image for image, _ in images.values()}
    yield from dataset_images(said.values(), pictures or FolderPictures(path), shown)


def _images(shown: str, rows: list[Any]) -> tuple[dict[int | str, tuple[SaidImage, SaidCaption]], list[Problem]]:
    """Return the image and the caption of each row by its id."""
    found: dict[int | str, tuple[SaidImage, SaidCaption]] = {}
    by_path: dict[str, SaidImage] = {}
    problems = BadRows()
    for place, row in enumerate(rows):
        where = f"images[{place}]"
        image: SaidImage | None = None
        try:
            path = as_text(member(row, "file_name", where), f"{where}.file_name")
            image = by_path.get(same_path(path))
            width, height = (as_pixels(member(row, side, where), f"{where}.{side}") for side in ("width", "height"))
            if image is None:
                image = by_path[same_path(path)] = SaidImage(path, width, height, shown, where)
                if "original_img_id" in row:
                    image.coco_id = as_id(row["original_img_id"], f"{where}.original_img_id")
            image.check_same(width, height, where)
            number = as_id(member(row, "id", where), f"{where}.id")
            if number in found:
                raise Defect(f"{where}: the id {number!r} occurs twice")
            caption = SaidCaption(caption_text(member(row, "caption", where), f"{where}.caption"), where)
            image.captions.append(caption)
            found[number] = image, caption
        except Defect as defect:
            if image is None:
                problems.append(defect.problem(shown, _name_of(row, where), key=f"{shown}:{where}"))
            else:
                image.bad.append(defect)
    # An image whose first caption is bad is known by its path alone.
    found |= {f"{one.file} {one.where}": (one, SaidCaption("", one.where)) for one in by_path.values() if one.bad}
    return found, problems


def _name_of(row: Any, where: str) -> str:
    name = row.get("file_name") if isinstance(row, dict) else None
    return name if isinstance(name, str) and name else where


def _add_boxes(
    shown: str, rows: list[Any], images: dict[int | str, tuple[SaidImage, SaidCaption]]
) -> Iterator[Problem]:
    """Add each box to the phrases of its caption that it belongs to. Yields a problem for each box of no caption."""
    bad = BadRows()
    for place, row in enumerate(rows):
        where = f"annotations[{place}]"
        try:
            number = as_id(member(row, "image_id", where), f"{where}.image_id")
            if number not in images:
                raise Defect(f"{where}: image_id {number!r} is in no list of images; the box is left out")
        except Defect as defect:
            bad.append(defect.problem(shown))
            yield bad[-1]
            continue
        image, caption = images[number]
        try:
            spans = spans_of(member(row, "tokens_positive", where), caption.text, f"{where}.tokens_positive")
            box = whole_box(member(row, "bbox", where), image.width, image.height, f"{where}.bbox")
            for span in spans:
                caption.boxes.setdefault(span, []).append(box)
                if "chain" in row:
                    caption.chains[span] = as_text(row["chain"], f"{where}.chain")
        except Defect as defect:
            image.bad.append(defect)
