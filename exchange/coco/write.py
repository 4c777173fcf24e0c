"""Writes COCO's JSON: captions with their phrases as `tokens_positive` spans, boxes with a category, and the chains."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from annotation.rules.mention_type import MentionType
from exchange.atomic import atomic_file, atomic_folder
from exchange.coco.json_lists import JsonLists, json_lists
from exchange.dataset import DatasetBox, DatasetCaption, DatasetImage, DatasetMention
from exchange.words import character_span


def write_coco(images: Iterable[DatasetImage], target: Path) -> int:
    """Write the images, and return how many there were. The same images give the same bytes.

    A `target` that ends in .json becomes one file, its boxes under `annotations` and its captions under
    `captions`; any other becomes a folder of captions.json and instances.json, each with its own under
    `annotations`. Raises TargetExists if it is not empty.
    """
    with json_lists("annotations", "captions", "categories", "chains", "images") as lists:
        writer = _Writer(lists)
        if target.suffix == ".json":
            with atomic_file(target) as temporary:
                writer.add_all(images)
                lists.write(
                    temporary, {key: key for key in ("annotations", "captions", "categories", "chains", "images")}
                )
        else:
            with atomic_folder(target) as temporary:
                writer.add_all(images)
                captions = {"annotations": "captions", "chains": "chains", "images": "images"}
                lists.write(temporary / "captions.json", captions)
                instances = {"annotations": "annotations", "categories": "categories", "images": "images"}
                lists.write(temporary / "instances.json", instances)
        return writer.images


class _Writer:
    """Counts the ids: images, captions and boxes are numbered from 1 in the order they come."""

    def __init__(self, lists: JsonLists) -> None:
        self.lists = lists
        self.images = self.captions = self.boxes = 0
        self.categories = {str(kind): number for number, kind in enumerate(MentionType, start=1)}

    def add_all(self, images: Iterable[DatasetImage]) -> None:
        for image in images:
            self._add(image)
        for name, number in self.categories.items():
            self.lists.add("categories", {"id": number, "name": name, "supercategory": ""})

    def _add(self, image: DatasetImage) -> None:
        self.images += 1
        entry = {
            "file_name": image.name + image.suffix,
            "height": image.height,
            "id": self.images,
            "width": image.width,
        }
        self.lists.add("images", entry)
        for number, caption in enumerate(image.captions):
            mentions = [mention for mention in image.mentions if mention.caption == number]
            self._add_caption(caption, mentions)
        for chain in image.chains:
            entry = {"image_id": self.images, "name": chain.name, "no_box": chain.no_box, "scene": chain.scene}
            self.lists.add("chains", entry)
        for box in image.boxes:
            self._add_box(image, box)

    def _add_caption(self, caption: DatasetCaption, mentions: list[DatasetMention]) -> None:
        self.captions += 1
        entry: dict[str, Any] = {"caption": caption.text, "id": self.captions, "image_id": self.images}
        if caption.chunked:
            entry["phrases"] = [_phrase(caption, mention) for mention in mentions]
            entry["not_visual"] = [[list(character_span(caption, *span))] for span in caption.non_visual]
        self.lists.add("captions", entry)

    def _add_box(self, image: DatasetImage, box: DatasetBox) -> None:
        self.boxes += 1
        x0, y0, x1, y1 = box.box
        category = box.category or _first_type(image, box)
        entry = {
            "area": box.box.area,
            "bbox": [x0, y0, x1 - x0, y1 - y0],
            "category_id": self.categories.setdefault(category, len(self.categories) + 1),
            "chains": list(box.chains),
            "id": self.boxes,
            "image_id": self.images,
            "iscrowd": 0,
        }
        self.lists.add("annotations", entry)


def _phrase(caption: DatasetCaption, mention: DatasetMention) -> dict[str, Any]:
    span = list(character_span(caption, mention.start, mention.end))
    return {"chain": mention.chain, "tokens_positive": [span], "types": list(mention.types)}


def _first_type(image: DatasetImage, box: DatasetBox) -> str:
    """The first type of the first mention, in reading order, of the chains that point to the box."""
    for mention in image.mentions:
        if mention.chain in box.chains and mention.types:
            return mention.types[0]
    return str(MentionType.OTHER)
