"""The writer for folders that Hugging Face's `datasets` loads: pictures with `metadata.jsonl` beside them.

`exchange.grounding.rows` declares every field.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from exchange.grounding.json_lines import write_lines
from exchange.grounding.phrases import GroundedImage, xywh
from exchange.grounding.rows import HubObjects, HubRow

METADATA = "metadata.jsonl"
UNKNOWN = -1.0
"""Stands for a chance that is not known: pyarrow fails at lists of null."""


def write_hub(images: Iterable[GroundedImage], folder: Path) -> int:
    """Write a row for each image into the folder, and return their number. The same images give the same bytes."""
    return write_lines(images, _lines, folder / METADATA)


def _lines(image: GroundedImage) -> Iterator[HubRow]:
    one = image.image
    yield {
        "file_name": one.file_name,
        "width": one.width,
        "height": one.height,
        "captions": [caption.text for caption in one.captions],
        "objects": objects_of(image),
    }


def objects_of(image: GroundedImage) -> HubObjects:
    """Return parallel lists with an entry for each box of each phrase: rows of objects would load as ragged columns."""
    every = [(caption, phrase, box) for caption in image.captions for phrase in caption.phrases for box in phrase.boxes]
    return {
        "bbox": [xywh(box) for _, _, box in every],
        "categories": [next(iter(phrase.types), "other") for _, phrase, _ in every],
        "phrase": [phrase.text for _, phrase, _ in every],
        "caption": [caption.number for caption, _, _ in every],
        "start": [phrase.start for _, phrase, _ in every],
        "end": [phrase.end for _, phrase, _ in every],
        "chain": [phrase.chain for _, phrase, _ in every],
        "confidence": [UNKNOWN if phrase.confidence is None else phrase.confidence for _, phrase, _ in every],
    }
