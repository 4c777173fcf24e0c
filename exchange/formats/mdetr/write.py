"""The writer for MDETR's JSON, which GLIP and mmdetection read, too: a row of `images` for each caption.

`exchange.formats.grounding_rows` declares every field.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from exchange.atomic import atomic_file
from exchange.dataset import NONE_USED, DatasetImage, Numbers
from exchange.formats.coco.write import JsonLists, json_lists
from exchange.formats.grounding_rows import MdetrBox, MdetrCategory, MdetrPart, MdetrRow
from exchange.formats.phrases import GroundedCaption, GroundedImage, chance_of, xywh
from exchange.words import character_span

DATASET = "flickr"
"""The name by which readers choose the rules of phrase grounding."""
CATEGORIES: list[MdetrCategory] = [{"id": 1, "name": "phrase", "supercategory": ""}]
LISTS = ("images", "annotations")
FILE = {key: key for key in LISTS}
VALUES = {"categories": CATEGORIES}
"""The lists and values of the file."""


def write_mdetr(images: Iterable[GroundedImage], target: Path) -> int:
    """Write the images into one JSON file, and return their number. The same images give the same bytes.

    Rows and annotations count from 1. Captions without boxes have rows, too: evaluators expect one each. A box of two
    phrases is one annotation for each. Raises TargetExists.
    """
    with atomic_file(target) as temporary, json_lists(*LISTS) as lists:
        count = add_mdetr(images, lists)
        lists.write(temporary, FILE, VALUES)
    return count


def add_mdetr(images: Iterable[GroundedImage], lists: JsonLists, start: Numbers = NONE_USED) -> int:
    """Add the images to the lists, and return their number. `start`: what images before them have used up."""
    count, rows, annotations = 0, start.captions, start.annotations
    for image in images:
        count += 1
        numbers = {caption.number: rows + place for place, caption in enumerate(image.captions, start=1)}
        parts = _parts(image.image, numbers)
        for caption in image.captions:
            rows += 1
            row = _row(image, caption, rows, start.images + count)
            if caption.number in parts:
                row["part_of"] = parts[caption.number]
            lists.add("images", row)
            annotations = _add_boxes(lists, caption, rows, annotations)
    return count


def _parts(image: DatasetImage, rows: Mapping[int, int]) -> dict[int, list[MdetrPart]]:
    """Return the notes of each caption. `rows`: the `id` of the row of each caption."""
    found: dict[int, list[MdetrPart]] = {}
    for one in image.parts:
        part, whole = image.mentions[one.part], image.mentions[one.whole]
        if part.caption not in rows or whole.caption not in rows:
            continue
        spans = [list(character_span(image.captions[each.caption], each.start, each.end)) for each in (part, whole)]
        found.setdefault(part.caption, []).append(
            {
                "part": spans[0],
                "whole": spans[1],
                "whole_id": rows[whole.caption],
                "votes": one.votes,
                "answers": one.answers,
            }
        )
    return found


def _row(image: GroundedImage, caption: GroundedCaption, row: int, place: int) -> MdetrRow:
    one = image.image
    return {
        "id": row,
        "file_name": one.file_name,
        "height": one.height,
        "width": one.width,
        "caption": caption.text,
        "dataset_name": DATASET,
        "sentence_id": caption.number,
        "original_img_id": place if one.coco_id is None else one.coco_id,
        "tokens_negative": [[0, len(caption.text)]],
        "tokens_positive_eval": [[[phrase.start, phrase.end]] for phrase in caption.phrases],
    }


def _add_boxes(lists: JsonLists, caption: GroundedCaption, row: int, annotations: int) -> int:
    """Add the boxes of the caption's phrases. Returns the number of the last annotation."""
    for place, phrase in enumerate(caption.phrases):
        for box in phrase.boxes:
            annotations += 1
            entry: MdetrBox = {
                "id": annotations,
                "image_id": row,
                "bbox": xywh(box),
                "area": box.area,
                "category_id": 1,
                "iscrowd": 0,
                "tokens_positive": [[phrase.start, phrase.end]],
                "phrase_ids": place,
                "chain": phrase.chain,
                **chance_of(phrase),
            }
            lists.add("annotations", entry)
    return annotations
