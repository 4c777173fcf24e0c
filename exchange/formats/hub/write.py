"""The writer for folders that Hugging Face's `datasets` loads: pictures with `metadata.jsonl` beside them.

`exchange.formats.grounding_rows` declares every field.
"""

from collections.abc import Iterable, Iterator

from exchange.dataset import DatasetImage
from exchange.formats.grounding_rows import HubObjects, HubRow
from exchange.formats.json_lines import write_lines
from exchange.formats.parts import LINES, Layout, Part
from exchange.formats.phrases import GroundedImage, grounded, xywh

METADATA = "metadata.jsonl"
NO_PHRASE = -1
"""Stands for caption, start and end of a box of no phrase."""
UNKNOWN = -1.0
"""Stands for a chance that is not known: pyarrow fails at lists of null."""


def layout(as_file: bool) -> Layout:  # noqa: FBT001  # formats have functions of this form
    """Return the one text of a folder, which lies beside the pictures."""
    return {METADATA: [LINES]}


def write_hub(images: Iterable[DatasetImage], part: Part) -> int:
    """Write a row for each image, and return their number. The same images give the same bytes."""
    return write_lines(_grounded(images, part), lambda image: iter([row_of(image)]), part)


def hub_rows(images: Iterable[DatasetImage], part: Part) -> Iterator[HubRow]:
    """Yield the row of each image."""
    return map(row_of, _grounded(images, part))


def _grounded(images: Iterable[DatasetImage], part: Part) -> Iterator[GroundedImage]:
    return grounded(images, part.fates, every=True, first=part.start.grounded + 1)


def row_of(image: GroundedImage) -> HubRow:
    """Return the row of an image."""
    one = image.image
    return {
        "file_name": one.file_name,
        "image_id": None if one.coco_id is None else str(one.coco_id),
        "width": one.width,
        "height": one.height,
        "captions": [caption.text for caption in one.captions],
        "objects": objects_of(image),
    }


def objects_of(image: GroundedImage) -> HubObjects:
    """Return parallel lists with an entry for each box of each phrase: rows of objects would load as ragged columns.

    Behind them are the boxes of no phrase, which have the category of their import.
    """
    every = [(caption, phrase, box) for caption in image.captions for phrase in caption.phrases for box in phrase.boxes]
    loose = [box for box in image.image.boxes if not box.chains]
    nowhere = [NO_PHRASE for _ in loose]
    sure = [UNKNOWN if phrase.confidence is None else phrase.confidence for _, phrase, _ in every]
    return {
        "bbox": [xywh(box) for _, _, box in every] + [xywh(one.box) for one in loose],
        "categories": [next(iter(phrase.types), "other") for _, phrase, _ in every] + [one.category for one in loose],
        "phrase": [phrase.text for _, phrase, _ in every] + ["" for _ in loose],
        "caption": [caption.number for caption, _, _ in every] + nowhere,
        "start": [phrase.start for _, phrase, _ in every] + nowhere,
        "end": [phrase.end for _, phrase, _ in every] + nowhere,
        "chain": [phrase.chain for _, phrase, _ in every] + ["" for _ in loose],
        "confidence": sure + [UNKNOWN for _ in loose],
    }
