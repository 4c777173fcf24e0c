"""The files of COCO with the fields that exports add (phrases of captions, chains of boxes), written or corrected.

Fields with the mark OURS are in every export, and may be missing in files from elsewhere. Files from elsewhere have no
chains, and their boxes with categories are not checked.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired

from annotated_types import Len
from typing_extensions import TypedDict

from annotation.rules.box import Box
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import (
    AnswerTally,
    DatasetBox,
    DatasetCaption,
    DatasetChain,
    DatasetImage,
    DatasetMention,
    Numbers,
)
from exchange.declared import OURS, Answered, Id, Numbers4, Pair, Pixels, TypeName
from exchange.details import whole_box
from exchange.formats.coco.read import caption_files, instance_files
from exchange.formats.edits import Edit, EditStore, moved, phrase_edits, phrases_of
from exchange.formats.parts import ExportPart, JsonLists, Layout, items_text, json_object
from exchange.formats.phrases import xywh
from exchange.formats.text_streams import edit_json, entries_of, id_in
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


def patch_coco(source: Path, target: Path, edits: EditStore) -> None:
    """Write the files of the source into `target`, with other captions, boxes and chains of images that changed."""
    captions: dict[int | str, int] = {}
    for file in dict.fromkeys([*caption_files(source), *instance_files(source)]):
        patch = _Patch(edits, captions)
        for key, entry in entries_of(file):
            patch.look_at(key, entry)
        edit_json(file, target / file.relative_to(source), patch.edited, patch.added)


class _Patch:
    """The edits of a file, which is read once for its ids, and once more to be written."""

    def __init__(self, edits: EditStore, captions: dict[int | str, int]) -> None:
        self.edits, self.captions = edits, captions
        self.next = 0
        self.categories: dict[str, Any] = {}
        self.here: list[int | str] = []
        """The images of the file that change."""
        self.has_boxes = False
        self.left: dict[int | str, list[tuple[Box, tuple[str, ...]]]] = {}
        """Boxes that are still to be written, by image."""

    def look_at(self, key: str, entry: Any) -> None:
        """Note the largest id of a box, the categories, and what the file holds."""
        if key == "images" and (number := id_in(entry, "id")) in self.edits:
            self.here.append(number)
        elif key == "categories" and isinstance(entry, dict):
            self.categories[str(entry.get("name"))] = entry.get("id")
        elif key == "annotations" and isinstance(entry, dict) and "bbox" in entry:
            self.has_boxes = True
            self.next = max(self.next, entry["id"] if isinstance(entry.get("id"), int) else 0)

    def edited(self, key: str, entry: Any) -> list[Any] | None:
        """Return what takes the place of an entry; None: it stays."""
        edit = self.edits.get(id_in(entry, "image_id"))
        if edit is None:
            return None
        if key == "chains":
            return _chain(entry, edit)
        if "caption" in entry:
            return self._caption(entry, edit)
        return self._box(entry, edit) if key == "annotations" and entry.get("chains") else None

    def added(self, key: str) -> Iterator[Any]:
        """Yield chains and boxes that are new."""
        for number in self.here if key == "chains" or (key == "annotations" and self.has_boxes) else ():
            edit = self.edits.get(number)
            assert edit is not None
            if key == "chains":
                known = {chain.name for chain in edit.before.chains}
                for chain in edit.after.chains:
                    if chain.name not in known:
                        yield _chain_row(edit.after, chain) | {"image_id": number}
            else:
                for box, names in self._left(number, edit):
                    self.next += 1
                    row = {"id": self.next, "image_id": number, "bbox": xywh(box), "area": box.area, "iscrowd": 0}
                    yield row | {"segmentation": corners(box)} | self._named(edit.after, names)

    def _caption(self, entry: Any, edit: Edit) -> list[Any] | None:
        number = id_in(entry, "image_id")
        place = self.captions[number] = self.captions.get(number, -1) + 1
        changed = phrase_edits(edit)[place]
        if "phrases" not in entry or not any(
            change.before is None
            or change.after is None
            or change.before.chain != change.after.chain
            or change.before.types != change.after.types
            for change in changed.values()
        ):
            return None
        now = phrases_of(edit.after)[place]
        rows = {tuple(row["tokens_positive"][0]): row for row in entry["phrases"]}
        phrases = []
        for span in sorted(now.keys()):
            own = {"chain": now[span].chain, "types": list(now[span].types), "tokens_positive": [list(span)]}
            phrases.append(rows[span] if span in rows and span not in changed else rows.get(span, {}) | own)
        return [entry | {"phrases": phrases}]

    def _box(self, entry: Any, edit: Edit) -> list[Any] | None:
        """Return the box with its chains of now, at its place of now; nothing if no chain has it."""
        box = whole_box(entry["bbox"], edit.before.width, edit.before.height, "")
        left = self._left(id_in(entry, "image_id"), edit)
        instead = _instead(edit).get((box, frozenset(entry["chains"])), box)
        for wanted in left:
            if wanted[0] == instead:
                left.remove(wanted)
                named = self._named(edit.after, wanted[1], entry["chains"])
                same = named == self._named(edit.before, entry["chains"], entry["chains"])
                if same and instead == box:
                    return None
                new = {name: value for name, value in named.items() if name in entry}
                if instead != box:
                    new |= {"bbox": xywh(instead), "area": instead.area, "segmentation": corners(instead)}
                return [{name: value for name, value in (entry | new).items() if name not in _ANSWERED}]
        return []

    def _left(self, number: int | str, edit: Edit) -> list[tuple[Box, tuple[str, ...]]]:
        return self.left.setdefault(number, [(box.box, box.chains) for box in edit.after.boxes if box.chains])

    def _named(self, image: DatasetImage, names: Iterable[str], order: Iterable[str] = ()) -> dict[str, Any]:
        """Return the fields of a box that follow from its chains, which keep their order."""
        names = list(names)
        names = [*(name for name in order if name in names), *(name for name in names if name not in set(order))]
        types = types_of_chains(image, names)
        kind = types[0] if types else "other"
        category = self.categories.get(kind, next(iter(self.categories.values()), 1))
        return {"category_id": category, "chains": names, "types": types}


_ANSWERED = ("people", "programs")
"""Counts of answers about a thing as it was."""


def _instead(edit: Edit) -> dict[tuple[Box, frozenset[str]], Box]:
    """Return the new place of each box that only moved, by its place and its chains."""
    found = {}
    before, after = ({(box.box, frozenset(box.chains)) for box in image.boxes} for image in (edit.before, edit.after))
    for names in {names for _, names in before}:
        was, now = ([box for box, box_names in sorted(boxes) if box_names == names] for boxes in (before, after))
        there = {box for box, _ in after}
        for box, new in moved(was, now).instead.items():
            if new is not None and box not in there:
                found[box, names] = new
    return found


def _chain(entry: Any, edit: Edit) -> list[Any] | None:
    """Return the row of a chain as it is now; nothing if the chain has gone."""
    was, now = (
        {chain.name: chain for chain in image.chains}.get(entry.get("name")) for image in (edit.before, edit.after)
    )
    if was is None:
        return None
    if now is None:
        return []
    new = {name: value for name, value in _chain_row(edit.after, now).items() if name in entry}
    old = {name: value for name, value in _chain_row(edit.before, was).items() if name in entry}
    if new == old:
        return None
    return [{name: value for name, value in (entry | new).items() if name not in _ANSWERED}]


def _chain_row(image: DatasetImage, chain: DatasetChain) -> dict[str, Any]:
    types = types_of_chains(image, [chain.name])
    return {"name": chain.name, "types": types, "scene": chain.scene, "no_box": chain.no_box}
