"""The reader for ODVG JSON Lines, as the Grounding DINO family trains on: a line for each caption, with its regions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.bounds import MOST_BOXES
from annotation.rules.box import Box
from exchange.checks import as_id, as_list, as_number, as_pixels, as_text, member
from exchange.coco.read import whole_box
from exchange.dataset import DatasetImage, Problem
from exchange.grounding.said import SaidCaption, SaidImage, bad_lines, caption_text, dataset_images, spans_of
from exchange.names import same_path
from exchange.picture_files import FolderPictures, Pictures
from exchange.problems import Defect, source_error

SIGN = b'"grounding"'
HEAD = 1 << 16


def odvg_files(path: Path) -> list[Path]:
    """Return the .jsonl files of the folder whose beginning holds `grounding`."""
    files = [file for file in sorted(path.glob("*.jsonl")) if file.is_file()]
    return [file for file in files if _is_odvg(file)]


def _is_odvg(file: Path) -> bool:
    with file.open("rb") as source:
        return SIGN in source.read(HEAD)


def read_odvg(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    Phrases of an image with the very same boxes are one chain, unless the file names chains. Types come from the
    dictionaries. A region without `tokens_positive` is found by its text, which its caption must have once. Raises
    SourceError for a folder without such a file, or with several, and for a file with too many bad lines.
    """
    files = odvg_files(path)
    if len(files) != 1:
        raise source_error(path, f"has {len(files)} .jsonl files with grounding: it needs one")
    shown = files[0].relative_to(path).as_posix()
    images: dict[str, SaidImage] = {}
    yield from bad_lines(files[0], shown, lambda row, line: _add(images, row, shown, line))
    yield from dataset_images(images.values(), pictures or FolderPictures(path), shown)


def _add(images: dict[str, SaidImage], row: Any, shown: str, line: int) -> None:
    """Add the caption of a line to its image. Raises Defect for a line that names no image."""
    where = f"line {line}"
    path = as_text(member(row, "filename", where), f"{where}: filename")
    width, height = (as_pixels(member(row, side, where), f"{where}: {side}") for side in ("width", "height"))
    image = images.setdefault(same_path(path), SaidImage(path, width, height, shown, where, line))
    try:
        image.check_same(width, height, where)
        if "image_id" in row:
            image.coco_id = as_id(row["image_id"], f"{where}: image_id")
        image.captions.append(_caption(member(row, "grounding", where), image, where))
    except Defect as defect:
        image.bad.append(Defect(defect.message, line))


def _caption(grounding: Any, image: SaidImage, where: str) -> SaidCaption:
    caption = SaidCaption(caption_text(member(grounding, "caption", where), f"{where}: caption"), where)
    for place, region in enumerate(as_list(member(grounding, "regions", where), f"{where}: regions")):
        own = f"{where}: regions[{place}]"
        boxes = boxes_of(member(region, "bbox", own), image, f"{own}.bbox")
        for span in spans_of_region(region, caption.text, own):
            caption.boxes.setdefault(span, []).extend(boxes)
            if "chain" in region:
                caption.chains[span] = as_text(region["chain"], f"{own}.chain")
    return caption


def spans_of_region(region: Any, text: str, where: str) -> list[tuple[int, int]]:
    """Return the characters of the region's phrases. Raises Defect for one that the caption does not have once."""
    if "tokens_positive" in region:
        return spans_of(region["tokens_positive"], text, f"{where}.tokens_positive")
    phrase = as_text(member(region, "phrase", where), f"{where}.phrase").strip()
    start = text.lower().find(phrase.lower())
    if not phrase or start < 0 or text.lower().find(phrase.lower(), start + 1) >= 0:
        raise Defect(f"{where}: the caption does not have {phrase[:60]!r} once: give tokens_positive")
    return [(start, start + len(phrase))]


def boxes_of(value: object, image: SaidImage, where: str) -> list[Box]:
    """Return the boxes of a region, which has one or a list. Raises Defect."""
    rows = as_list(value, where)
    if not rows:
        raise Defect(f"{where} is empty")
    if len(rows) > MOST_BOXES:
        raise Defect(f"{where} has {len(rows):,} boxes: at most {MOST_BOXES:,} are allowed")
    return [_box(one, image, where) for one in (rows if isinstance(rows[0], list) else [rows])]


def _box(value: object, image: SaidImage, where: str) -> Box:
    edges = [as_number(one, where) for one in as_list(value, where)]
    if len(edges) != 4:
        raise Defect(f"{where} has {len(edges)} numbers, not 4 (left, top, right, bottom)")
    x0, y0, x1, y1 = edges
    return whole_box([x0, y0, x1 - x0, y1 - y0], image.width, image.height, where)
