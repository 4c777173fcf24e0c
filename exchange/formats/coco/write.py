"""The writer for COCO: captions with phrases as `tokens_positive` spans, boxes with a category, and chains.

`exchange.formats.coco.rows` declares every field.
"""

from collections.abc import Collection, Iterable

from annotation.rules.box import Box
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import Answers, DatasetBox, DatasetCaption, DatasetImage, DatasetMention, Numbers
from exchange.declared import Answered
from exchange.formats.coco.rows import CocoBox, CocoCaption, CocoCategory, CocoChain, CocoImage, CocoPhrase
from exchange.formats.json_lists import JsonLists, json_object, list_text
from exchange.formats.parts import Layout, Part
from exchange.formats.phrases import xywh
from exchange.words import character_span

LISTS = ("annotations", "captions", "categories", "chains", "images", "licenses")
INFO = {"info": {"description": "Coreference chains and boxes, exported by Chainbox", "version": "1"}}
"""The text that COCO's tools print about a file. No date, so that the same project gives the same bytes."""


def layout(as_file: bool) -> Layout:  # noqa: FBT001  # formats have functions of this form
    """Return the files of a folder, each with its own `annotations`; or one, with boxes under `annotations`."""
    texts = {name: list_text(name, last=name == "categories") for name in LISTS}  # every part has all categories
    if as_file:
        return {"": json_object(texts, INFO)}
    common = {name: texts[name] for name in ("chains", "images", "licenses")}
    boxes = {name: texts[name] for name in ("annotations", "categories")}
    return {
        "captions.json": json_object(common | {"annotations": texts["captions"]}, INFO),
        "instances.json": json_object(common | boxes, INFO),
    }


def write_coco(images: Iterable[DatasetImage], part: Part) -> int:
    """Write the images and the categories of the part, and return the number of images."""
    writer = _Writer(JsonLists(part, LISTS), part.categories, part.start)
    writer.add_all(images)
    return writer.images - part.start.images


class _Writer:
    """Numbers captions and boxes in their order, and images that have no id yet."""

    def __init__(self, lists: JsonLists, categories: Iterable[str], start: Numbers) -> None:
        self.lists = lists
        self.images, self.captions, self.boxes = start.images, start.captions, start.boxes
        self.id: int | str = 0
        self.categories = {str(kind): number for number, kind in enumerate(NOUN_TYPES, start=1)}
        for category in categories:
            self._number(category)

    def add_all(self, images: Iterable[DatasetImage]) -> None:
        for image in images:
            self._add(image)
        for name, number in self.categories.items():
            category: CocoCategory = {"id": number, "name": name, "supercategory": ""}
            self.lists.add("categories", category)

    def _add(self, image: DatasetImage) -> None:
        self.images += 1
        self.id = self.images if image.coco_id is None else image.coco_id
        entry: CocoImage = {
            "file_name": image.file_name,
            "height": image.height,
            "id": self.id,
            "name": image.name,
            "width": image.width,
        }
        self.lists.add("images", entry)
        for number, caption in enumerate(image.captions):
            mentions = [mention for mention in image.mentions if mention.caption == number]
            self._add_caption(caption, mentions)
        for chain in image.chains:
            row: CocoChain = {
                "doubted": chain.doubted,
                "drawer_judged": chain.drawer_judged,
                "image_id": self.id,
                "name": chain.name,
                "no_box": chain.no_box,
                "scene": chain.scene,
                "types": types_of_chains(image, (chain.name,)),
                **_answers(chain.answers),
            }
            self.lists.add("chains", row)
        for box in image.boxes:
            self._add_box(image, box)

    def _add_caption(self, caption: DatasetCaption, mentions: list[DatasetMention]) -> None:
        self.captions += 1
        entry: CocoCaption = {"caption": caption.text, "id": self.captions, "image_id": self.id}
        if caption.chunked:
            entry["phrases"] = [_phrase(caption, mention) for mention in mentions]
            entry["not_visual"] = [[list(character_span(caption, *span))] for span in caption.non_visual]
        self.lists.add("captions", entry)

    def _add_box(self, image: DatasetImage, box: DatasetBox) -> None:
        self.boxes += 1
        types = types_of_chains(image, box.chains)
        category = box.category or next(iter(types), str(MentionType.OTHER))
        entry: CocoBox = {
            "area": box.box.area,
            "bbox": xywh(box.box),
            "category_id": self._number(category),
            "chains": list(box.chains),
            "id": self.boxes,
            "image_id": self.id,
            "iscrowd": 0,
            "segmentation": corners(box.box),
            "types": types,
            **_answers(box.answers),
        }
        self.lists.add("annotations", entry)

    def _number(self, category: str) -> int:
        return self.categories.setdefault(category, len(self.categories) + 1)


def _phrase(caption: DatasetCaption, mention: DatasetMention) -> CocoPhrase:
    span = list(character_span(caption, mention.start, mention.end))
    return {"chain": mention.chain, "tokens_positive": [span], "types": list(mention.types)}


def _answers(answers: Answers | None) -> Answered:
    return {} if answers is None else answers.as_json()


def types_of_chains(image: DatasetImage, chains: Collection[str]) -> list[str]:
    """Return the types of all mentions of the chains, each once, in reading order; that of pronouns last."""
    found = dict.fromkeys(kind for mention in image.mentions if mention.chain in chains for kind in mention.types)
    return sorted(found, key=lambda kind: kind == MentionType.PRONOUN.value)


def corners(box: Box) -> list[list[int]]:
    """Return the box as a polygon."""
    x0, y0, x1, y1 = box
    return [[x0, y0, x1, y0, x1, y1, x0, y1]]
