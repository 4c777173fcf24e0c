"""MDETR's JSON, which GLIP and mmdetection read, too: a row for each caption, boxes by spans of characters."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NotRequired

from annotated_types import Len
from typing_extensions import TypedDict

from annotation.bounds import LONGEST_CAPTION
from annotation.rules.box import Box
from exchange.checks import Defect, as_id, as_text, member, same_id
from exchange.dataset import DatasetImage, Detail, Problem
from exchange.declared import OURS, Count, Id, Numbers4, Pair, Pixels
from exchange.details import BoxForm, whole_box
from exchange.formats.edits import Edit, EditStore, PhraseEdit, key_of_path, phrase_edits
from exchange.formats.format import (
    BBOX,
    EVERY_OPTION,
    INTEGER,
    NAME,
    SIZE,
    Column,
    Corrector,
    Format,
    Loss,
    RowNeed,
    Rows,
    SourceFiles,
    count_matches,
)
from exchange.formats.parts import ExportPart, JsonLists, items_text, json_object
from exchange.formats.phrases import GroundedCaption, GroundedImage, NegativeRow, Spans, Sure, chance_of, grounded, xywh
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.schema.kind import FileKind, imported
from exchange.formats.spans import (
    SourceCaption,
    SourceImage,
    SourceImages,
    add_negatives,
    caption_text,
    lists_of,
    negatives_left,
    spans_of,
)
from exchange.formats.text_streams import edit_json, entries_of, id_in
from exchange.names import same_path
from exchange.split_captions import Span, character_span


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
    negatives: NotRequired[Sequence[NegativeRow]]
    """The phrases of which nothing can be boxed; in exports with the option `negatives`."""
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


LISTS = ("images", "annotations")
SIGN = re.compile(rb'"tokens_positive(_eval)?"')
FILES = SourceFiles(
    ".json files with tokens_positive",
    "*.json",
    lambda beginning: SIGN.search(beginning) and b'"phrases"' not in beginning,
)


def read_mdetr(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    Phrases are those with boxes, and phrases of an image with the very same boxes are one chain, unless the file names
    chains. Types come from the dictionaries. Raises SourceError for a folder without such a file, or with several, and
    for a file that is not MDETR's.
    """
    file = FILES.only_in(path)
    rows, boxes = lists_of(file, *LISTS)
    said = SourceImages(file.name, pictures or FolderPictures(path), form)
    images = _Images(said)
    yield from said.add_rows(rows, LISTS[0], "file_name", images.add_row)
    for place, row in enumerate(boxes):
        yield from images.add_box(row, f"{LISTS[1]}[{place}]")
    yield from said.read()


class _Row(NamedTuple):
    """A row: its image, and its caption, if it is read."""

    image: SourceImage
    caption: SourceCaption | None
    apart: frozenset[Span]
    """Spans that are phrases of their own."""
    measured: bool
    """Whether its boxes have the pixels of the image."""


class _Images:
    """The images of the rows that were read, and the rows by their ids."""

    def __init__(self, images: SourceImages) -> None:
        self.said = images
        self.rows: dict[int | str, _Row] = {}

    def add_row(self, row: Any, where: str) -> None:
        """Add the caption of a row to its image. Raises Defect for a row that names no image, or no size of it."""
        path = as_text(member(row, "file_name", where), f"{where}.file_name")
        image, measured = self.said.of_row(row, path, where)
        if "original_img_id" in row and image.coco_id is None:
            with image.details.left_out("the id"):
                image.coco_id = as_id(row["original_img_id"], f"{where}.original_img_id")
        caption = None
        with image.details.left_out("the caption"):
            caption = SourceCaption(caption_text(member(row, "caption", where), f"{where}.caption"), where)
            image.captions.append(caption)
            add_negatives(row, caption, image, where)
        with image.details.left_out("what is in its boxes"):
            number = same_id(as_id(member(row, "id", where), f"{where}.id"))
            if number in self.rows:
                raise Defect(f"{where}: the id {number!r} occurs twice")
            self.rows[number] = _Row(image, caption, apart_in(row), measured)

    def add_box(self, row: Any, where: str) -> Iterator[Problem]:
        """Add a box to the phrases of its caption that it belongs to. Yields a detail for a box of no caption."""
        try:
            number = same_id(as_id(member(row, "image_id", where), f"{where}.image_id"))
            if number not in self.rows:
                raise Defect(f"{where}: image_id {number!r} is in no list of images; the box is left out")
        except Defect as defect:
            self.said.bad.append(Detail(self.said.shown, None, "", defect.message))
            yield self.said.bad[-1]
            return
        image, caption, apart, measured = self.rows[number]
        if caption is None or not measured:
            return  # named with its row
        with image.details.left_out("the box"):
            chain = as_text(row["chain"], f"{where}.chain") if "chain" in row else None
            own = f"{where}.tokens_positive"
            spans = spans_of(member(row, "tokens_positive", where), caption.text, own, apart)
            box = image.box(member(row, "bbox", where), f"{where}.bbox")
            for span in spans:
                caption.boxes.setdefault(span, []).append(box)
                if chain is not None:
                    caption.chains[span] = chain


def row_has_caption(row: Any) -> bool:
    try:
        caption_text(member(row, "caption", ""), "")
    except Defect:
        return False
    return True


def apart_in(row: Any) -> frozenset[Span]:
    """Return the spans that the row lists as phrases of one span each."""
    listed = row.get("tokens_positive_eval")
    phrases = listed if isinstance(listed, list) else []
    alone = [phrase[0] for phrase in phrases if isinstance(phrase, list) and len(phrase) == 1]
    return frozenset(
        (span[0], span[1]) for span in alone if isinstance(span, list) and len(span) == 2 and _are_whole(span)
    )


def _are_whole(values: list[Any]) -> bool:
    return all(isinstance(value, int) and 0 <= value <= LONGEST_CAPTION for value in values)


DATASET = "flickr"
"""The name by which readers choose the rules of phrase grounding."""
CATEGORIES: list[MdetrCategory] = [{"id": 1, "name": "phrase", "supercategory": ""}]


def write_mdetr(images: Iterable[DatasetImage], part: ExportPart) -> int:
    """Write the images, and return their number. The same images give the same bytes.

    Rows and annotations count from 1. Captions without boxes have rows, too: evaluators expect one each. A box of two
    phrases is one annotation for each.
    """
    lists, start = JsonLists(part, LISTS), part.start
    count, rows, annotations = 0, start.captions, start.annotations
    for image in grounded(images, part.notes, every=True, first=start.grounded + 1):
        count += 1
        numbers = {caption.number: rows + place for place, caption in enumerate(image.captions, start=1)}
        notes = _parts(image.image, numbers)
        for caption in image.captions:
            rows += 1
            row = _row(image, caption, rows, start.images + count)
            if caption.number in notes:
                row["part_of"] = notes[caption.number]
            if image.image.negatives is not None:
                row["negatives"] = caption.negatives
            lists.add("images", row)
            annotations = _add_boxes(lists, caption, rows, annotations)
    return count


def _parts(image: DatasetImage, rows: Mapping[int, int]) -> dict[int, list[MdetrPart]]:
    """Return the notes of each caption. `rows`: the `id` of the row of each caption."""
    found: dict[int, list[MdetrPart]] = {}
    for note in image.parts:
        part, whole = image.mentions[note.part], image.mentions[note.whole]
        if part.caption not in rows or whole.caption not in rows:
            continue
        spans = [
            list(character_span(image.captions[mention.caption], mention.start, mention.end))
            for mention in (part, whole)
        ]
        found.setdefault(part.caption, []).append(
            {
                "part": spans[0],
                "whole": spans[1],
                "whole_id": rows[whole.caption],
                "votes": note.votes,
                "answers": note.answers,
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


def patch_mdetr(source: Path, target: Path, edits: EditStore) -> None:
    """Write the file of the source into `target`, with other annotations. A box that moved keeps its id."""
    for file in FILES.all_in(source):
        patch = _Patch(edits)
        for key, entry in entries_of(file):
            patch.look_at(key, entry)
        edit_json(file, target / file.name, patch.edited, patch.added)


SURE = "confidence"
"""The chance of a phrase, in exports of ours: what changed has another one, which is not known here."""


class _Patch:
    """The edits of a file. It is read once for its ids, and once more to be written."""

    def __init__(self, edits: EditStore) -> None:
        self.edits = edits
        self.rows: dict[Any, tuple[str, int, frozenset[Span]]] = {}
        """Of each row of a changed image: the path, the number of its caption, and spans that are phrases alone."""
        self.captions: dict[str, int] = {}
        self.next = 0
        self._row: tuple[Any, Edit, dict[Span, PhraseEdit]] | None = None
        self.names_chains = False

    def look_at(self, key: str, entry: Any) -> None:
        """Note the rows of images that change, and the largest id of an annotation."""
        if not isinstance(entry, dict):
            return
        if key == "images" and (path := same_path(str(entry.get("file_name")))) in self.edits:
            if not row_has_caption(entry):
                return
            self.captions[path] = self.captions.get(path, -1) + 1
            self.rows.setdefault(id_in(entry, "id"), (path, self.captions[path], apart_in(entry)))
        elif key == "annotations":
            number = entry.get("id")
            self.next = max(self.next, number if isinstance(number, int) else 0)
            self.names_chains = self.names_chains or "chain" in entry

    def edited(self, key: str, entry: Any) -> list[Any] | None:
        """Return what takes the place of an annotation."""
        if key == "images" and isinstance(entry, dict) and "negatives" in entry:
            return self._without_boxed(entry)
        row = id_in(entry, "image_id")
        if key != "annotations" or row not in self.rows:
            return None
        edit, changed = self._changes(row)
        try:
            spans = spans_of(entry.get("tokens_positive"), self._text(edit, row), "", self.rows[row][2])
            box = whole_box(entry.get("bbox"), edit.before.width, edit.before.height, "")
        except Defect:  # the import left the box out
            return None
        if not changed.keys() & set(spans):
            return None
        found: dict[tuple[Box, str | None], list[Span]] = {}
        for span in sorted(spans, key=lambda one: one in changed):  # what stays keeps the id
            one = changed.get(span)
            after = one.after if one else None
            now = one.boxes.instead.get(box, box) if one else box
            if now is not None and (one is None or after is not None):
                found.setdefault((now, after.chain if after else None), []).append(span)
        return [
            self._entry(entry, *what, its_spans, new=place > 0, moved=what[0] != box, part=len(its_spans) < len(spans))
            for place, (what, its_spans) in enumerate(found.items())
        ]

    def _without_boxed(self, entry: Any) -> list[Any] | None:
        """Return what takes the place of a row with negatives: the row without those that have boxes now."""
        row = id_in(entry, "id")
        if row not in self.rows:
            return None
        left = negatives_left(entry["negatives"], self._changes(row)[1])
        return None if left == entry["negatives"] else [entry | {"negatives": left}]

    def added(self, key: str) -> Iterator[Any]:
        """Yield annotations of boxes that no phrase had."""
        for row in self.rows if key == "annotations" else ():
            _, changed = self._changes(row)
            for change in changed.values():
                for box in change.boxes.added:
                    assert change.after is not None
                    self.next += 1
                    entry = {"id": self.next, "image_id": row, "bbox": xywh(box), "area": box.area, "category_id": 1}
                    entry |= {"iscrowd": 0, "tokens_positive": [list(change.span)]}
                    yield entry | ({"chain": change.after.chain} if self.names_chains else {})

    def _changes(self, row: Any) -> tuple[Edit, dict[Span, PhraseEdit]]:
        if self._row is None or self._row[0] != row:
            path, caption, _ = self.rows[row]
            edit = self.edits.get(path)
            assert edit is not None
            self._row = row, edit, phrase_edits(edit)[caption]
        return self._row[1:]

    def _text(self, edit: Edit, row: Any) -> str:
        return edit.before.captions[self.rows[row][1]].text

    def _entry(
        self, entry: Any, box: Box, chain: str | None, spans: list[Span], *, new: bool, moved: bool, part: bool
    ) -> Any:
        changed: dict[str, Any] = {}
        if new:
            self.next += 1
            changed["id"] = self.next
        if moved:
            changed |= {"bbox": xywh(box), "area": box.area}
        if chain is not None and "chain" in entry:
            changed["chain"] = chain
        if part:
            changed["tokens_positive"] = [list(span) for span in spans]
        return {name: value for name, value in (entry | changed).items() if name != SURE}


_CAPTIONS = (Column("id", "The number of the row.", INTEGER), NAME, *SIZE, Column("caption", "Its text."))
_BOXES = (
    Column("id", "The number of the box.", INTEGER),
    Column("image_id", "The number of the caption's row.", INTEGER),
    BBOX,
    Column("chain", "The number of the chain."),
)
MDETR = Format(
    name="mdetr",
    title="captions with boxes, as MDETR, GLIP and mmdetection read them",
    marks="a .json file with tokens_positive",
    detects=lambda path: bool(FILES.all_in(path)),
    read=read_mdetr,
    either_unit=True,
    count=lambda path: count_matches(FILES.all_in(path), rb'"file_name"\s*:'),
    correct=Corrector(key_of_path, patch_mdetr),
    write=write_mdetr,
    layout={"": json_object({name: items_text(name) for name in LISTS}, {"categories": CATEGORIES})},
    ending=".json",
    needs=frozenset({RowNeed.CHANCES}),
    options=EVERY_OPTION,
    loses=frozenset({Loss.OTHER_PHRASES, Loss.TYPES, Loss.FIRST_TYPES, Loss.REASONS, Loss.OTHER_BOXES}),
    record_sets=(
        Rows("captions", "A row for each caption.", _CAPTIONS, (".json",), "images"),
        Rows("boxes", "A row for each box of each phrase.", _BOXES, (".json",), "annotations"),
    ),
    kinds=(
        FileKind(
            "mdetr",
            "Captions with boxes, as MDETR, GLIP and mmdetection read them",
            MdetrFile,
            is_lines=False,
            passes_over=True,
            faults=partial(imported, reader=read_mdetr, name="rows.json"),
        ),
    ),
)
