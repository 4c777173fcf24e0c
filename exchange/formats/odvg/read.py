"""The reader for ODVG JSON Lines, as the Grounding DINO family trains on: a line for each caption, with its regions."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from annotation.bounds import MOST_BOXES
from annotation.rules.box import Box
from exchange.checks import as_id, as_list, as_number, as_text, kind, member
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.formats.spans import (
    SaidCaption,
    SaidImage,
    SaidImages,
    bad_lines,
    caption_text,
    check_phrase,
    dataset_images,
    spans_of,
)
from exchange.problems import Defect, source_error
from exchange.words import places_of

SIGN = b'"grounding"'
HEAD = 1 << 16


def odvg_files(path: Path) -> list[Path]:
    """Return the .jsonl files of the folder whose beginning holds `grounding`."""
    files = [file for file in sorted(path.glob("*.jsonl")) if file.is_file()]
    return [file for file in files if _is_odvg(file)]


def _is_odvg(file: Path) -> bool:
    with file.open("rb") as source:
        return SIGN in source.read(HEAD)


def read_odvg(
    path: Path, pictures: Pictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    Phrases of an image with the very same boxes are one chain, unless the file names chains. Types come from the
    dictionaries. A region without `tokens_positive` is found by its text, which its caption must have once. Raises
    SourceError for a folder without such a file, or with several, and for a file with too many bad lines.
    """
    files = odvg_files(path)
    if len(files) != 1:
        raise source_error(path, f"has {len(files)} .jsonl files with grounding: it needs one")
    shown = files[0].relative_to(path).as_posix()
    images = SaidImages(shown, pictures or FolderPictures(path), form)
    yield from bad_lines(files[0], shown, lambda row, line: _add(images, row, line))
    yield from dataset_images(images.by_path.values(), images.pictures, shown)


def _add(images: SaidImages, row: Any, line: int) -> None:
    """Add the caption of a line to its image. Raises Defect for a line that names no image, or no size of it."""
    where = f"line {line}"
    path = as_text(member(row, "filename", where), f"{where}: filename")
    image, measured = images.of_row(row, path, where, line)
    if "image_id" in row:
        with image.details.left_out("the id", line):
            image.coco_id = as_id(row["image_id"], f"{where}: image_id")
    with image.details.left_out("the caption", line):
        grounding = member(row, "grounding", where)
        caption = SaidCaption(caption_text(member(grounding, "caption", where), f"{where}: caption"), where)
        image.captions.append(caption)
        regions = as_list(member(grounding, "regions", where), f"{where}: regions") if measured else []
        for place, region in enumerate(regions):
            with image.details.left_out("the region", line):
                _add_region(region, caption, image, f"{where}: regions[{place}]")


def has_caption(row: Any) -> bool:
    """Tell whether the caption of a line is read."""
    try:
        caption_text(member(member(row, "grounding", ""), "caption", ""), "")
    except Defect:
        return False
    return True


def _add_region(region: Any, caption: SaidCaption, image: SaidImage, where: str) -> None:
    spans = spans_of_region(region, caption.text, where)
    chain = as_text(region["chain"], f"{where}.chain") if "chain" in region else None
    boxes = []
    for value in edges_of(member(region, "bbox", where), f"{where}.bbox"):
        with image.details.left_out("the box"):
            boxes.append(image.box(_sides(value, f"{where}.bbox"), f"{where}.bbox"))
    for span in spans if boxes else ():
        caption.boxes.setdefault(span, []).extend(boxes)
        if chain is not None:
            caption.chains[span] = chain


def spans_of_region(region: Any, text: str, where: str) -> list[tuple[int, int]]:
    """Return the characters of the region's phrases.

    Raises Defect for one that the caption does not have once, and for spans that are not those of the phrase.
    """
    if not isinstance(region, dict):
        raise Defect(f"{where} is {kind(region)}, not an object")
    if "tokens_positive" in region:
        spans = spans_of(region["tokens_positive"], text, f"{where}.tokens_positive")
        if region.get("phrase") is not None:
            check_phrase(spans, region["phrase"], text, where)
        return spans
    phrase = as_text(member(region, "phrase", where), f"{where}.phrase").strip()
    places = places_of(phrase, text)
    if len(places) != 1:
        raise Defect(f"{where}: the caption does not have {phrase[:60]!r} once: give tokens_positive")
    return places


def edges_of(value: object, where: str) -> list[Any]:
    """Return the boxes of a region, which has one or a list, as they stand there. Raises Defect for none."""
    rows = as_list(value, where)
    if not rows:
        raise Defect(f"{where} is empty")
    if len(rows) > MOST_BOXES:
        raise Defect(f"{where} has {len(rows):,} boxes: at most {MOST_BOXES:,} are allowed")
    return rows if isinstance(rows[0], list) else [rows]


def boxes_of(value: object, image: SaidImage) -> dict[Box, Any]:
    """Return the boxes of a region that are read, with what stands there."""
    found: dict[Box, Any] = {}
    with suppress(Defect):
        for edge in edges_of(value, ""):
            with suppress(Defect):
                found[image.box(_sides(edge, ""), "")] = edge
    return found


def _sides(value: object, where: str) -> list[float]:
    """Return [left, top, right, bottom] as left, top, width and height. Raises Defect."""
    edges = [as_number(one, where) for one in as_list(value, where)]
    if len(edges) != 4:
        raise Defect(f"{where} has {len(edges)} numbers, not 4 (left, top, right, bottom)")
    x0, y0, x1, y1 = edges
    return [x0, y0, x1 - x0, y1 - y0]
