"""The files of COCO with the fields that exports add: phrases and chains of captions, chains of boxes.

Fields with the mark OURS are in every export, and may be missing in files from elsewhere.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from annotated_types import Len
from typing_extensions import TypedDict

from exchange.declared import OURS, Answered, Id, Numbers4, Pair, Pixels, TypeName

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
