"""The files of COCO with the fields that exports add (phrases of captions, chains of boxes), and their writer.

Fields with the mark OURS are in every export, and may be missing in files from elsewhere.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, NotRequired

from annotated_types import Len
from typing_extensions import TypedDict

from annotation.rules.box import Box
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import AnswerTally, DatasetBox, DatasetCaption, DatasetImage, DatasetMention, Numbers
from exchange.declared import OURS, Answered, Id, Numbers4, Pair, Pixels, TypeName
from exchange.formats.parts import ExportPart, JsonLists, Layout, items_text, json_object
from exchange.formats.phrases import xywh
from exchange.split_captions import character_span

Spans = Annotated[Sequence[Pair], Len(1, 1)]


class CocoImage(TypedDict):
    """An image."""

    id: Id
    """That of the import, unless another image of the project has it; an export keeps it for ever."""
    file_name: str
    """Its path, with the ending, as the import had it."""
    name: Annotated[str, OURS]
    """Its name here, without ending."""
    width: Pixels
    """In pixels."""
    height: Pixels
    """In pixels."""


class CocoPhrase(TypedDict):
    """A phrase of a caption."""

    chain: str | None
    """The name of its chain; null before linking."""
    types: Sequence[TypeName]
    """The coarse categories of the mention."""
    tokens_positive: Spans
    """Its characters, [[from, to)]."""


class CocoCaption(TypedDict):
    """A caption."""

    id: Annotated[Id, OURS]
    """Counted from 1 in each export."""
    image_id: Id
    """The `id` of its image."""
    caption: str
    """The text."""
    phrases: NotRequired[Sequence[CocoPhrase]]
    """Missing while phrases are not marked."""
    not_visual: NotRequired[Sequence[Spans]]
    """Phrases that are not mentions, each [[from, to)] in characters."""


class CocoBox(Answered):
    """A box."""

    id: Annotated[Id, OURS]
    """Counted from 1 in each export."""
    image_id: Id
    """The `id` of its image."""
    bbox: Numbers4
    """[left, top, width, height] in pixels of the upright image; whole numbers in exports."""
    category_id: Id
    """The first of its types, or its category in the import."""
    area: Annotated[float, OURS]
    """In pixels."""
    iscrowd: Annotated[int, OURS]
    """0 in exports."""
    segmentation: Annotated[Any, OURS]
    """The corners of the box as a polygon; other shapes are passed over."""
    chains: Annotated[Sequence[str], OURS]
    """The names of its chains; of a box with a category none."""
    types: Annotated[Sequence[TypeName], OURS]
    """The types of all their mentions, in reading order."""


class CocoChain(Answered):
    """A chain."""

    image_id: Id
    """The `id` of its image."""
    name: str
    """Its name, unique in the image."""
    types: Annotated[Sequence[TypeName], OURS]
    """The types of all its mentions, in reading order."""
    scene: Annotated[bool, OURS]
    """It is the whole scene, and has no box."""
    no_box: Annotated[bool, OURS]
    """It cannot be boxed."""
    doubted: Annotated[str, OURS]
    """The reason why it is in doubt, or empty."""
    drawer_judged: Annotated[bool, OURS]
    """As in jsonl, for any chain that was merged into it."""


class CocoCategory(TypedDict):
    """A category: one of the eight types, or of an import, in the order in which they first came."""

    id: Id
    """Counted from 1 in exports."""
    name: str
    """Its name."""
    supercategory: Annotated[str, OURS]
    """Empty in exports."""


class CocoHead(TypedDict):
    """The lists that each file of COCO has."""

    info: Annotated[Mapping[str, Any], OURS]
    """A description, without a date."""
    licenses: Annotated[Sequence[Any], OURS]
    """Empty in exports."""
    images: Sequence[CocoImage]
    chains: Annotated[Sequence[CocoChain], OURS]


class CaptionsFile(CocoHead):
    """captions.json of a COCO folder."""

    annotations: Sequence[CocoCaption]


class InstancesFile(CocoHead):
    """instances.json of a COCO folder."""

    annotations: Sequence[CocoBox]
    categories: Sequence[CocoCategory]


class CocoFile(CocoHead):
    """A COCO data set in one file."""

    captions: Sequence[CocoCaption]
    annotations: Sequence[CocoBox]
    categories: Annotated[Sequence[CocoCategory], OURS]


LISTS = ("annotations", "captions", "categories", "chains", "images", "licenses")
INFO = {"info": {"description": "Coreference chains and boxes, exported by Chainbox", "version": "1"}}
"""The text that COCO's tools print about a file. No date, so that the same project gives the same bytes."""


_TEXTS = {name: items_text(name, last=name == "categories") for name in LISTS}  # every part has all categories
_COMMON = {name: _TEXTS[name] for name in ("chains", "images", "licenses")}
_BOXES = {name: _TEXTS[name] for name in ("annotations", "categories")}
LAYOUT: Layout = {
    "captions.json": json_object(_COMMON | {"annotations": _TEXTS["captions"]}, INFO),
    "instances.json": json_object(_COMMON | _BOXES, INFO),
}
"""The files of a folder, each with its own `annotations`."""
FILE_LAYOUT: Layout = {"": json_object(_TEXTS, INFO)}
"""The one file, with boxes under `annotations`."""


def write_coco(images: Iterable[DatasetImage], part: ExportPart) -> int:
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


def _answers(answers: AnswerTally | None) -> Answered:
    return {} if answers is None else answers.as_json()


def types_of_chains(image: DatasetImage, chains: Collection[str]) -> list[str]:
    """Return the types of all mentions of the chains, each once, in reading order; that of pronouns last."""
    found = dict.fromkeys(kind for mention in image.mentions if mention.chain in chains for kind in mention.types)
    return sorted(found, key=lambda kind: kind == MentionType.PRONOUN.value)


def corners(box: Box) -> list[list[int]]:
    """Return the box as a polygon."""
    x0, y0, x1, y1 = box
    return [[x0, y0, x1, y0, x1, y1, x0, y1]]
