"""The reader for MDETR's JSON, as MDETR and GLIP publish it: a row for each caption, boxes by spans of characters."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from annotation.bounds import JSON_BYTES, LONGEST_CAPTION
from exchange.checks import as_id, as_list, as_text, member, parse_json, same_id
from exchange.dataset import DatasetImage, Detail, Problem
from exchange.details import BoxForm
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.formats.spans import (
    SaidCaption,
    SaidImage,
    SaidImages,
    Span,
    caption_text,
    dataset_images,
    spans_of,
    unnamed,
)
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


def read_mdetr(
    path: Path, pictures: Pictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
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
    images = _Images(SaidImages(shown, pictures or FolderPictures(path), form))
    for place, row in enumerate(rows):
        yield from images.add_row(row, f"images[{place}]")
    for place, row in enumerate(boxes):
        yield from images.add_box(row, f"annotations[{place}]")
    yield from dataset_images(images.said.by_path.values(), images.said.pictures, shown)


class _Row(NamedTuple):
    """A row: its image, and its caption, if it is read."""

    image: SaidImage
    caption: SaidCaption | None
    apart: frozenset[Span]
    """Spans that are phrases of their own."""
    measured: bool
    """Whether its boxes have the pixels of the image."""


class _Images:
    """The images of the rows that were read, and the rows by their ids."""

    def __init__(self, said: SaidImages) -> None:
        self.said = said
        self.rows: dict[int | str, _Row] = {}
        self.bad = BadRows[Problem]()

    def add_row(self, row: Any, where: str) -> Iterator[Problem]:
        """Add the caption of a row to its image. Yields a problem for a row that names no image, or no size of it."""
        try:
            path = as_text(member(row, "file_name", where), f"{where}.file_name")
            image, measured = self.said.of_row(row, path, where)
        except Defect as defect:
            name = row.get("file_name") if isinstance(row, dict) else None
            self.bad.append(unnamed(defect, self.said.shown, where, name))
            yield self.bad[-1]
            return
        if "original_img_id" in row and image.coco_id is None:
            with image.details.left_out("the id"):
                image.coco_id = as_id(row["original_img_id"], f"{where}.original_img_id")
        caption = None
        with image.details.left_out("the caption"):
            caption = SaidCaption(caption_text(member(row, "caption", where), f"{where}.caption"), where)
            image.captions.append(caption)
        with image.details.left_out("what is in its boxes"):
            number = same_id(as_id(member(row, "id", where), f"{where}.id"))
            if number in self.rows:
                raise Defect(f"{where}: the id {number!r} occurs twice")
            self.rows[number] = _Row(image, caption, apart_in(row), measured)

    def add_box(self, row: Any, where: str) -> Iterator[Problem]:
        """Add a box to the phrases of its caption that it belongs to. Yields a detail for a box of no caption."""
        try:
            number = same_id(as_id(member(row, "image_id", where), f"{where}.image_id"))
            if number not in self.rows:
                raise Defect(f"{where}: image_id {number!r} is in no list of images; the box is left out")
        except Defect as defect:
            self.bad.append(Detail(self.said.shown, None, "", defect.message))
            yield self.bad[-1]
            return
        image, caption, apart, measured = self.rows[number]
        if caption is None or not measured:
            return  # named with its row
        with image.details.left_out("the box"):
            chain = as_text(row["chain"], f"{where}.chain") if "chain" in row else None
            own = f"{where}.tokens_positive"
            spans = spans_of(member(row, "tokens_positive", where), caption.text, own, apart)
            box = image.box(member(row, "bbox", where), f"{where}.bbox")
            for span in spans:
                caption.boxes.setdefault(span, []).append(box)
                if chain is not None:
                    caption.chains[span] = chain


def has_caption(row: Any) -> bool:
    """Tell whether the caption of a row is read."""
    try:
        caption_text(member(row, "caption", ""), "")
    except Defect:
        return False
    return True


def apart_in(row: Any) -> frozenset[Span]:
    """Return the spans that the row lists as phrases of one span each."""
    listed = row.get("tokens_positive_eval")
    phrases = listed if isinstance(listed, list) else []
    alone = [phrase[0] for phrase in phrases if isinstance(phrase, list) and len(phrase) == 1]
    return frozenset((one[0], one[1]) for one in alone if isinstance(one, list) and len(one) == 2 and _are_whole(one))


def _are_whole(values: list[Any]) -> bool:
    return all(isinstance(value, int) and 0 <= value <= LONGEST_CAPTION for value in values)
