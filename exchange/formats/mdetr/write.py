"""The writer for MDETR's JSON, which GLIP and mmdetection read, too: a row of `images` for each caption.

`exchange.formats.grounding_rows` declares every field.
"""

from collections.abc import Iterable, Mapping

from exchange.dataset import DatasetImage
from exchange.formats.grounding_rows import MdetrBox, MdetrCategory, MdetrPart, MdetrRow
from exchange.formats.json_lists import JsonLists, json_object, list_text
from exchange.formats.parts import Layout, Part
from exchange.formats.phrases import GroundedCaption, GroundedImage, chance_of, grounded, xywh
from exchange.words import character_span

DATASET = "flickr"
"""The name by which readers choose the rules of phrase grounding."""
CATEGORIES: list[MdetrCategory] = [{"id": 1, "name": "phrase", "supercategory": ""}]
LISTS = ("images", "annotations")


def layout(as_file: bool) -> Layout:  # noqa: FBT001  # formats have functions of this form
    """Return the one file of an export."""
    return {"": json_object({name: list_text(name) for name in LISTS}, {"categories": CATEGORIES})}


def write_mdetr(images: Iterable[DatasetImage], part: Part) -> int:
    """Write the images, and return their number. The same images give the same bytes.

    Rows and annotations count from 1. Captions without boxes have rows, too: evaluators expect one each. A box of two
    phrases is one annotation for each.
    """
    lists, start = JsonLists(part, LISTS), part.start
    count, rows, annotations = 0, start.captions, start.annotations
    for image in grounded(images, part.fates, every=True, first=start.grounded + 1):
        count += 1
        numbers = {caption.number: rows + place for place, caption in enumerate(image.captions, start=1)}
        notes = _parts(image.image, numbers)
        for caption in image.captions:
            rows += 1
            row = _row(image, caption, rows, start.images + count)
            if caption.number in notes:
                row["part_of"] = notes[caption.number]
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
