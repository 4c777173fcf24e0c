"""The rows of the formats of grounding. Fields with the mark OURS may be missing in files from elsewhere."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from exchange.declared import OURS, Chance, Count, Id, Numbers4, Pair, Pixels

Place = Annotated[int, Ge(-1)]
Spans = Sequence[Pair]
"""Characters of a caption, [[from, to), ...]."""


class Sure(TypedDict, total=False):
    """The sureness of a phrase's boxes are."""

    confidence: Chance
    """The product of the chances of the chain and of its boxes, where they are known."""


class MdetrPart(TypedDict):
    """A note that what a phrase means is part of what another one means; both are in different chains."""

    part: Annotated[Pair, OURS]
    """The characters [from, to) of the phrase in this caption."""
    whole: Annotated[Pair, OURS]
    """The characters of the other one ..."""
    whole_id: Annotated[Id, OURS]
    """... in the caption of the row with this `id`."""
    votes: Annotated[Count, OURS]
    """The answers that say so ..."""
    answers: Annotated[Count, OURS]
    """... of all that count, without those of model annotators."""


class MdetrRow(TypedDict):
    """A caption."""

    id: Id
    """Counted from 1 in exports."""
    file_name: str
    """The path of its picture."""
    height: Pixels
    """In pixels of the upright picture."""
    width: Pixels
    """In pixels of the upright picture."""
    caption: str
    """The text."""
    dataset_name: Annotated[str, OURS]
    """"flickr": readers choose the rules of phrase grounding by it."""
    sentence_id: Annotated[Id, OURS]
    """The number of the caption in its image, from 0."""
    original_img_id: Annotated[Id, OURS]
    """The image's id in COCO files. An image that came without one has the number that is its name, as in Flickr30k."""
    tokens_negative: Annotated[Spans, OURS]
    """The whole caption."""
    tokens_positive_eval: Annotated[Sequence[Spans], OURS]
    """The characters [[from, to)] of each phrase that has boxes."""
    part_of: NotRequired[Sequence[MdetrPart]]
    """Phrases of the caption that most workers called a part. Left out where there are none."""


class MdetrBox(Sure):
    """A box of a phrase; a box of two phrases is there twice."""

    id: Annotated[Id, OURS]
    """Counted from 1 in exports."""
    image_id: Id
    """The `id` of its caption's row."""
    bbox: Numbers4
    """[left, top, width, height] in pixels of the upright picture."""
    area: Annotated[float, OURS]
    """In pixels."""
    category_id: Annotated[Id, OURS]
    """1 in exports."""
    iscrowd: Annotated[int, OURS]
    """0 in exports."""
    tokens_positive: Annotated[Spans, Len(1)]
    """The characters of the phrase, [[from, to)]."""
    phrase_ids: Annotated[Count, OURS]
    """The place of the phrase in `tokens_positive_eval`, from 0; mmdetection needs it."""
    chain: Annotated[str, OURS]
    """The number of its chain; chains with boxes are numbered 1, 2, ... over the export."""


class MdetrCategory(TypedDict):
    """The only category; readers need none."""

    id: Annotated[Id, OURS]
    """1."""
    name: Annotated[str, OURS]
    """“phrase”."""
    supercategory: Annotated[str, OURS]
    """Empty."""


class MdetrFile(TypedDict):
    """A data set as MDETR, GLIP and mmdetection read it."""

    images: Sequence[MdetrRow]
    """A row for each caption."""
    annotations: Sequence[MdetrBox]
    categories: Annotated[Sequence[MdetrCategory], OURS]


class OdvgRegion(Sure):
    """A box of a phrase. Regions with the same characters are one phrase."""

    bbox: Numbers4 | Annotated[Sequence[Numbers4], Len(1)]
    """[left, top, right, bottom] in pixels of the upright picture; files from elsewhere may have a list of them."""
    phrase: Annotated[str, OURS]
    """The words of the phrase; readers need them where there is no `tokens_positive`."""
    tokens_positive: Annotated[Spans, Len(1), OURS]
    """The characters of the phrase in the caption, [[from, to)]."""
    chain: Annotated[str, OURS]
    """The number of its chain; chains with boxes are numbered 1, 2, ... over the export."""


class OdvgGrounding(TypedDict):
    """A caption with its phrases."""

    caption: str
    """The text."""
    regions: Sequence[OdvgRegion]


class InCoco(TypedDict, total=False):
    """The id of an image."""

    image_id: Id
    """The image's id in COCO files."""


class OdvgLine(InCoco):
    """A caption, as the Grounding DINO family trains on it."""

    filename: str
    """The path of its picture."""
    height: Pixels
    """In pixels of the upright picture."""
    width: Pixels
    """In pixels of the upright picture."""
    grounding: OdvgGrounding


class ChatMessage(TypedDict):
    """A turn."""

    role: Literal["user", "assistant"]
    """The speaker."""
    content: str
    """Of the assistant: the caption with `<ref-object>` for each phrase and `<bbox>` for each of its boxes."""


class ChatObjects(TypedDict):
    """The phrases and boxes that the signs stand for, in their order."""

    ref: Sequence[str]
    """The words of each phrase."""
    bbox: Sequence[Numbers4]
    """[left, top, right, bottom] in pixels of the picture's file."""
    bbox_type: Literal["real"]
    """Boxes are absolute pixels."""


class ChatLine(TypedDict):
    """A conversation about a caption, as ms-swift takes it."""

    messages: Annotated[Sequence[ChatMessage], Len(2, 2)]
    images: Annotated[Sequence[str], Len(1, 1)]
    """The path of the picture."""
    objects: ChatObjects


class HubObjects(TypedDict):
    """Parallel lists with an entry for each box of each phrase."""

    bbox: Sequence[Numbers4]
    """[left, top, width, height] in pixels."""
    categories: Annotated[Sequence[str | int], OURS]
    """The first type of the phrase; the category of a box of no phrase, and in files from elsewhere of every box."""
    phrase: Annotated[Sequence[str], OURS]
    """The words."""
    caption: Annotated[Sequence[Place], OURS]
    """The number of its caption, from 0; -1, as in the next two: a box of no phrase."""
    start: Annotated[Sequence[Place], OURS]
    """The first character of the phrase ..."""
    end: Annotated[Sequence[Place], OURS]
    """... and the one behind its last."""
    chain: Annotated[Sequence[str], OURS]
    """The number of its chain; chains with boxes are numbered 1, 2, ... over the export."""
    confidence: Annotated[Sequence[float], OURS]
    """The product of the chances of the chain and of its boxes; -1: unknown."""


class HubRow(TypedDict):
    """A picture with its captions, as `datasets` of Hugging Face loads folders."""

    file_name: str
    """The picture beside metadata.jsonl; in Parquet its path."""
    image_id: Annotated[Id | None, OURS]
    """The image's id in COCO files, as a text in exports: a column holds one kind of value."""
    width: Annotated[Pixels, OURS]
    """In pixels; files from elsewhere may leave sizes to the picture."""
    height: Annotated[Pixels, OURS]
    """In pixels of the upright picture."""
    captions: Annotated[Sequence[str] | str, OURS]
    """The texts, or the only one."""
    objects: Annotated[HubObjects | None, OURS]
    caption: NotRequired[Sequence[str] | str]
    """In files from elsewhere, in place of `captions`."""
    text: NotRequired[Sequence[str] | str]
    """In files from elsewhere, in place of `captions`."""
