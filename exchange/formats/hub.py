"""Folders that Hugging Face's `datasets` loads: pictures, and metadata.jsonl beside them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NotRequired

from annotated_types import Ge
from typing_extensions import TypedDict

from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from exchange.checks import BadRows, Defect, as_id, as_list, as_text, kind, member, source_error
from exchange.dataset import DatasetImage, Problem
from exchange.declared import OURS, Count, Id, Numbers4, Pixels
from exchange.details import BoxForm, whole_box
from exchange.formats.captions_folder import Bad, open_csv
from exchange.formats.edits import Edit, EditStore, PhraseEdit, key_of_path, phrase_edits
from exchange.formats.format import (
    EVERY_OPTION,
    FLOAT,
    INTEGER,
    NAME,
    SIZE,
    TEXT,
    Column,
    Corrector,
    ExportOption,
    Format,
    Loss,
    RowNeed,
    Rows,
)
from exchange.formats.parts import LINES, ExportPart, write_lines
from exchange.formats.phrases import GroundedImage, grounded, xywh
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.schema.kind import FileFault, FileKind, imported
from exchange.formats.spans import (
    SourceCaption,
    SourceImage,
    SourceImages,
    bad_lines,
    caption_text,
    check_phrase,
    unnamed,
)
from exchange.formats.text_streams import edit_lines
from exchange.names import same_path

PlaceOrNone = Annotated[int, Ge(-1)]


class HubObjects(TypedDict):
    """Parallel lists with an entry for each box of each phrase."""

    bbox: Sequence[Numbers4]
    """[left, top, width, height] in pixels."""
    categories: Annotated[Sequence[str | int], OURS]
    """The first type of the phrase; the category of a box of no phrase, and in files from elsewhere of every box."""
    phrase: Annotated[Sequence[str], OURS]
    """The words."""
    caption: Annotated[Sequence[PlaceOrNone], OURS]
    """The number of its caption, from 0; -1, as in the next two: a box of no phrase."""
    start: Annotated[Sequence[PlaceOrNone], OURS]
    """The first character of the phrase ..."""
    end: Annotated[Sequence[PlaceOrNone], OURS]
    """... and the one behind its last."""
    chain: Annotated[Sequence[str], OURS]
    """The number of its chain; chains with boxes are numbered 1, 2, ... over the export."""
    confidence: Annotated[Sequence[float], OURS]
    """The product of the chances of the chain and of its boxes; -1: unknown."""


class HubNegatives(TypedDict):
    """Parallel lists with an entry for each phrase of which nothing in the picture can be boxed."""

    phrase: Annotated[Sequence[str], OURS]
    """The words."""
    caption: Sequence[Count]
    """The number of its caption, from 0."""
    start: Sequence[Count]
    """The first character of the phrase ..."""
    end: Sequence[Count]
    """... and the one behind its last."""
    confidence: Annotated[Sequence[float], OURS]
    """The chance that the chain is right and has no box; -1: unknown."""


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
    negatives: NotRequired[HubNegatives | None]
    """In exports with the option `negatives`."""
    caption: NotRequired[Sequence[str] | str]
    """In files from elsewhere, in place of `captions`."""
    text: NotRequired[Sequence[str] | str]
    """In files from elsewhere, in place of `captions`."""


def _objects() -> tuple[Column, ...]:
    """Return the columns of the parallel lists of a hub row."""
    return (
        Column(
            "bbox",
            "Left, top, width and height of each box of each phrase.",
            INTEGER,
            "objects",
            ("$.bbox",),
            many=True,
        ),
        Column("phrase", "The phrase of each box.", TEXT, "objects", ("$.phrase",), many=True),
        Column("category", "The first type of its phrase.", TEXT, "objects", ("$.categories",), many=True),
        Column("caption", "The number of its phrase's caption, from 0.", INTEGER, "objects", ("$.caption",), many=True),
        Column("start", "The first character of the phrase ...", INTEGER, "objects", ("$.start",), many=True),
        Column("end", "... and the first one behind it.", INTEGER, "objects", ("$.end",), many=True),
        Column("chain", "The number of its chain.", TEXT, "objects", ("$.chain",), many=True),
        Column(
            "confidence", "Its chance of being right; -1: not known.", FLOAT, "objects", ("$.confidence",), many=True
        ),
    )


COLUMNS = (NAME, *SIZE, Column("captions", "The captions of the picture.", many=True), *_objects())


METADATA = "metadata.jsonl"
NO_PHRASE = -1
"""Stands for caption, start and end of a box of no phrase."""
UNKNOWN = -1.0
"""Stands for a chance that is not known: pyarrow fails at lists of null."""


def write_hub(images: Iterable[DatasetImage], part: ExportPart) -> int:
    """Write a row for each image, and return their number. The same images give the same bytes."""
    return write_lines(_grounded(images, part), lambda image: iter([row_of(image)]), part)


def hub_rows(images: Iterable[DatasetImage], part: ExportPart) -> Iterator[HubRow]:
    """Yield the row of each image."""
    return map(row_of, _grounded(images, part))


def _grounded(images: Iterable[DatasetImage], part: ExportPart) -> Iterator[GroundedImage]:
    return grounded(images, part.notes, every=True, first=part.start.grounded + 1)


def row_of(image: GroundedImage) -> HubRow:
    one = image.image
    row: HubRow = {
        "file_name": one.file_name,
        "image_id": None if one.coco_id is None else str(one.coco_id),
        "width": one.width,
        "height": one.height,
        "captions": [caption.text for caption in one.captions],
        "objects": objects_of(image),
    }
    if one.negatives is not None:
        every = [(caption.number, negative) for caption in image.captions for negative in caption.negatives]
        row["negatives"] = {
            "phrase": [negative["phrase"] for _, negative in every],
            "caption": [number for number, _ in every],
            "start": [negative["tokens_negative"][0][0] for _, negative in every],
            "end": [negative["tokens_negative"][0][1] for _, negative in every],
            "confidence": [negative.get("confidence", UNKNOWN) for _, negative in every],
        }
    return row


def objects_of(image: GroundedImage) -> HubObjects:
    """Return parallel lists with an entry for each box of each phrase: rows of objects would load as ragged columns.

    Behind them are the boxes of no phrase, which have the category of their import.
    """
    every = [(caption, phrase, box) for caption in image.captions for phrase in caption.phrases for box in phrase.boxes]
    loose = [box for box in image.image.boxes if not box.chains]
    nowhere = [NO_PHRASE for _ in loose]
    sure = [UNKNOWN if phrase.confidence is None else phrase.confidence for _, phrase, _ in every]
    return {
        "bbox": [xywh(box) for _, _, box in every] + [xywh(box.box) for box in loose],
        "categories": [next(iter(phrase.types), "other") for _, phrase, _ in every] + [box.category for box in loose],
        "phrase": [phrase.text for _, phrase, _ in every] + ["" for _ in loose],
        "caption": [caption.number for caption, _, _ in every] + nowhere,
        "start": [phrase.start for _, phrase, _ in every] + nowhere,
        "end": [phrase.end for _, phrase, _ in every] + nowhere,
        "chain": [phrase.chain for _, phrase, _ in every] + ["" for _ in loose],
        "confidence": sure + [UNKNOWN for _ in loose],
    }


TABLE = "metadata.csv"
CAPTIONS = ("captions", "caption", "text")
"""The columns in which data sets of the hub have captions: a list of texts, or one text."""
NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
CATEGORIES = ("categories", "category")
PARALLEL = ("bbox", *CATEGORIES, "phrase", "caption", "start", "end", "chain")
TO_ADD = f"add a column {' or '.join(CAPTIONS)} with the caption of each picture"
_TYPES = frozenset(map(str, MentionType))


class RowPlace(NamedTuple):
    """The place of a row: its file, and the row as messages name it."""

    file: str
    where: str
    line: int | None = None


def hub_files(path: Path) -> list[Path]:
    """Return the folder's tables of pictures: its own, or one in each of its folders, as for train and test."""
    for folders in ([path], sorted(folder for folder in path.iterdir() if folder.is_dir())):
        files = [folder / name for folder in folders for name in (METADATA, TABLE) if (folder / name).is_file()]
        if files:
            return files
    return []


def read_hub(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names.

    `objects` with `caption`, `start` and `end` beside `bbox` are phrases with boxes, as our exports have them; others
    are boxes with a category. Rows of one picture are one image. Rows without `width` and `height` take them from their
    picture. Raises SourceError for a folder without a table, and for a table with too many bad lines.
    """
    files = hub_files(path)
    if not files:
        raise source_error(path, f"has neither {METADATA} nor {TABLE}, in it or in its folders")
    images = SourceImages(files[0].relative_to(path).as_posix(), pictures or FolderPictures(path), form, to_add=TO_ADD)
    for file in files:
        shown = file.relative_to(path).as_posix()
        inside = shown.removesuffix(file.name)
        if file.name == TABLE:
            yield from _add_table(images, file, shown, inside)
        else:
            yield from _add_lines(images, file, shown, inside)
    yield from images.read()


def _add_lines(images: SourceImages, file: Path, shown: str, inside: str) -> list[Problem]:
    return bad_lines(
        file, shown, lambda row, line: add_row(images, _inside(row, inside), RowPlace(shown, f"line {line}", line))
    )


def _inside(row: Any, folder: str) -> Any:
    """Return the row with the path of its picture from the source on."""
    if not folder or not isinstance(row, dict) or not isinstance(row.get("file_name"), str):
        return row
    return row | {"file_name": folder + row["file_name"]}


def _add_table(images: SourceImages, file: Path, shown: str, inside: str) -> Iterator[Problem]:
    """Add the rows of a table in CSV, each with one caption."""
    table, bad = open_csv(file), BadRows[Problem]()
    with file.open("rb") as source:
        for block in table.blocks(source, table.start):
            if isinstance(block, Bad):
                yield unnamed(block.defect, shown, f"line {block.defect.line}", inside + block.image)
                continue
            for text, line in zip(block.texts, block.lines, strict=True):
                try:
                    row = {"file_name": inside + block.image, "text": text}
                    add_row(images, row, RowPlace(shown, f"line {line}", line))
                except Defect as defect:
                    bad.append(unnamed(Defect(defect.message, line), shown, f"line {line}", inside + block.image))
                    yield bad[-1]


def add_row(images: SourceImages, row: Any, place: RowPlace) -> None:
    """Add the captions and boxes of a row to its image. Raises Defect for a row that names no image, or no size."""
    where = place.where
    path = as_text(member(row, "file_name", where), f"{where}: file_name")
    image, measured = images.of_row(row, path, where, place.line, place.file)
    if row.get("image_id") is not None:
        with image.details.left_out("the id", place.line):
            said = as_id(row["image_id"], f"{where}: image_id")
            # a column holds one kind of value, so that exports write numbers as texts
            image.coco_id = int(said) if isinstance(said, str) and NUMBER.fullmatch(said) else said
    captions: list[SourceCaption | None] = []
    with image.details.left_out("what is in it", place.line):
        captions = _captions(row, image, place)
    image.captions += [caption for caption in captions if caption is not None]
    if row.get("objects") is not None and measured:
        with image.details.left_out("what is in its objects", place.line):
            _add_objects(row["objects"], image, captions, f"{where}: objects", place.line)
    if row.get("negatives") is not None:
        with image.details.left_out("what is in its negatives", place.line):
            _add_negatives(row["negatives"], image, captions, f"{where}: negatives", place.line)


def _captions(row: Any, image: SourceImage, place: RowPlace) -> list[SourceCaption | None]:
    """Return the captions; None in the place of one that is left out."""
    where = place.where
    column = next((name for name in CAPTIONS if name in row), None)
    if column is None:
        raise Defect(f"{where} has none of the columns {', '.join(CAPTIONS)}: images need captions")
    texts = [row[column]] if isinstance(row[column], str) else as_list(row[column], f"{where}: {column}")
    if not texts:
        raise Defect(f"{where}: {column} is empty")
    if not image.has_room(len(texts)):
        return []
    found: list[SourceCaption | None] = []
    for number, text in enumerate(texts):
        found.append(None)
        with image.details.left_out("the caption", place.line):
            found[-1] = SourceCaption(caption_text(text, f"{where}: {column}[{number}]"), where)
    return found


def captions_read(row: Any) -> list[bool]:
    found = _captions(row, SourceImage("", 1, 1, "", ""), RowPlace("", ""))
    return [caption is not None for caption in found]


def _add_objects(
    objects: Any, image: SourceImage, captions: list[SourceCaption | None], where: str, line: int | None
) -> None:
    for place, value in enumerate(_entries(objects, PARALLEL, ("bbox",), where)):
        with image.details.left_out("the box", line):
            _add_object(value, image, captions, f"{where}[{place}]", line)


def _add_negatives(
    negatives: Any, image: SourceImage, captions: list[SourceCaption | None], where: str, line: int | None
) -> None:
    for place, value in enumerate(_entries(negatives, ("phrase", *_PLACE), _PLACE, where)):
        with image.details.left_out("the negative", line):
            caption = _caption_at(value["caption"], captions, f"{where}[{place}]")
            caption.add_negative(_span(value, caption.text, f"{where}[{place}]"))


def _entries(lists: Any, known: Sequence[str], needed: Sequence[str], where: str) -> list[dict[str, Any]]:
    """Return the entries of parallel lists. Raises Defect for other values, and without a list that is needed."""
    columns = {name: as_list(lists[name], f"{where}.{name}") for name in known if name in _object(lists, where)}
    if missing := next((name for name in needed if name not in columns), ""):
        raise Defect(f"{where} has no {missing!r}")
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        told = ", ".join(f"{name} {count}" for name, count in lengths.items())
        raise Defect(f"{where}: the lists differ in length: {told}")
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _add_object(
    value: dict[str, Any], image: SourceImage, captions: list[SourceCaption | None], where: str, line: int | None
) -> None:
    if not {"caption", "start", "end"} <= value.keys() or value["caption"] == NO_PHRASE:
        category = _category(value, where)
        image.loose.append((image.box(value["bbox"], f"{where}.bbox", line), category))
        return
    caption = _caption_at(value["caption"], captions, where)
    span = _span(value, caption.text, where)
    chain = as_text(value["chain"], f"{where}.chain") if "chain" in value else None
    caption.boxes.setdefault(span, []).append(image.box(value["bbox"], f"{where}.bbox", line))
    if chain is not None:
        caption.chains[span] = chain
    kind = value.get("categories")
    if isinstance(kind, str) and kind in _TYPES:
        caption.types[span] = (value["categories"],)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Defect(f"{where} is {kind(value)}, not an object of lists")
    return value


def _caption_at(place: object, captions: list[SourceCaption | None], where: str) -> SourceCaption:
    there = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(captions)
    caption = captions[place] if there and isinstance(place, int) else None
    if caption is None:
        raise Defect(f"{where}.caption is {place!r}: the image has {len(captions)} captions, counted from 0")
    return caption


def _span(value: dict[str, Any], text: str, where: str) -> tuple[int, int]:
    start, end = value["start"], value["end"]
    whole = all(isinstance(edge, int) and not isinstance(edge, bool) for edge in (start, end))
    if not whole or not 0 <= start < end <= len(text):
        raise Defect(f"{where}: [{start!r}, {end!r}) is no part of a caption of {len(text)} characters")
    if "phrase" in value:
        check_phrase([(start, end)], value["phrase"], text, where)
    return start, end


def _category(value: dict[str, Any], where: str) -> str:
    column = next((name for name in CATEGORIES if name in value), None)
    if column is None:
        raise Defect(f"{where} has neither a phrase (caption, start, end) nor a category (categories)")
    category = value[column]
    return str(category) if isinstance(category, int) else as_text(category, f"{where}.{column}")


_PLACE = ("caption", "start", "end")


def patch_hub(source: Path, target: Path, edits: EditStore) -> None:
    """Write the rows of the source into `target`, with other objects for images that changed."""

    for file in hub_files(source):
        if file.name != METADATA:  # a table has no boxes
            continue
        inside, captions = file.parent.relative_to(source), RowCaptions()

        def edited(row: Any, inside: Path = inside, captions: RowCaptions = captions) -> Any:
            path = same_path((inside / str(row.get("file_name"))).as_posix())
            edit = edits.get(path)
            return None if edit is None else with_objects(row, edit, captions.of(path, row))

        edit_lines(file, target / file.relative_to(source), edited)


class RowCaptions:
    """The captions of the rows of each image: several rows may have one picture."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def of(self, path: str, row: Any) -> list[int | None]:
        """Return the number in its image of each caption of the next row; None for one that is left out."""
        found: list[int | None] = []
        with suppress(Defect):
            for is_read in captions_read(row):
                number = self._next.get(path, 0)
                found.append(number if is_read else None)
                self._next[path] = number + is_read
        return found


def with_objects(row: dict[str, Any], edit: Edit, captions: list[int | None]) -> dict[str, Any]:
    """Return the row of an image with other objects. Columns that are not known go with their boxes.

    `captions`: the numbers of the row's captions in the image.
    """
    columns = row.get("objects")
    edits = phrase_edits(edit)
    changed = {
        (place, *span): change
        for place, number in enumerate(captions)
        for span, change in (edits[number].items() if number is not None else ())
    }
    if changed and "negatives" in row:
        row = row | {"negatives": _negatives_left(row["negatives"], changed)}
    if not columns or not changed:
        return row
    entries = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    by_phrase = [(_place(entry), entry) for entry in entries]
    last = {place: number for number, (place, _) in enumerate(by_phrase)}
    found: list[dict[str, Any]] = []
    for number, (place, entry) in enumerate(by_phrase):
        one = changed.get(place) if place else None
        if one is None:
            found.append(entry)
            continue
        try:
            box = whole_box(entry["bbox"], edit.before.width, edit.before.height, "bbox")
        except Defect:  # the import left the box out
            found.append(entry)
            continue
        now = one.boxes.instead.get(box, box)
        if one.after is not None and now is not None:
            found.append(_entry(entry, one, now if now != box else None))
        if last[place] == number:
            found += [_entry(entry, one, box) for box in one.boxes.added]
    for place, change in changed.items():
        if place not in last:
            found += [_entry(_new(columns, place), change, box) for box in change.boxes.added]
    return row | {"objects": {name: [entry[name] for entry in found] for name in columns}}


def _negatives_left(lists: Any, changed: dict[Any, PhraseEdit]) -> Any:
    """Return the negatives of a row without those that have boxes now."""
    try:
        entries = _entries(lists, [*lists], _PLACE, "")
    except (Defect, TypeError):  # the import left them out
        return lists
    boxed = {place for place, change in changed.items() if change.after and change.after.boxes}
    left = [entry for entry in entries if _place(entry) not in boxed]
    return {name: [entry[name] for entry in left] for name in lists}


def _place(entry: dict[str, Any]) -> tuple[int, int, int] | None:
    """Return the caption and the characters of an entry's phrase; None: it has none."""
    if not entry.keys() >= {*_PLACE} or entry["caption"] == NO_PHRASE:
        return None
    return entry["caption"], entry["start"], entry["end"]


def _new(columns: Any, place: tuple[int, int, int]) -> dict[str, Any]:
    return dict.fromkeys(columns) | dict(zip(_PLACE, place, strict=True))


def _entry(entry: dict[str, Any], edit: PhraseEdit, box: Box | None) -> dict[str, Any]:
    """Return the entry of a phrase that changed. `box`: another one than it has; None: the same."""
    assert edit.after is not None
    types = edit.before is None or edit.before.types != edit.after.types
    new = {
        "bbox": entry["bbox"] if box is None else xywh(box),
        "chain": edit.after.chain,
        "phrase": edit.text,
        "confidence": UNKNOWN,
    }
    if types and isinstance(entry.get("categories"), str | None):  # numbers stand for names of the file's own
        new["categories"] = next(iter(edit.after.types), "other")
    return entry | {name: value for name, value in new.items() if name in entry}


def _data_files(part: str, folder: str, pictures: Sequence[str]) -> list[str]:
    return [f"{folder}/{METADATA}".lstrip("/"), *pictures]


def _faults(path: Path) -> Iterator[FileFault]:
    """Rows without a size take that of the picture beside them."""
    yield from imported(path, lambda folder, _: read_hub(folder, FolderPictures(path.parent)), METADATA)


HUB = Format(
    name="hub",
    title="pictures with metadata.jsonl, as the library datasets of Hugging Face reads them",
    marks="metadata.jsonl or metadata.csv in it or in its folders",
    detects=lambda path: bool(hub_files(path)),
    read=read_hub,
    either_unit=True,
    correct=Corrector(key_of_path, patch_hub),
    write=write_hub,
    layout={METADATA: [LINES]},
    needs=frozenset({RowNeed.OWN_FIELDS, RowNeed.CHANCES}),
    with_pictures=True,
    options=EVERY_OPTION - {ExportOption.PICTURES},
    loses=frozenset({Loss.OTHER_PHRASES, Loss.TYPES, Loss.REASONS}),
    record_sets=(Rows("images", "A row for each image.", COLUMNS, (METADATA,)),),
    data_files=_data_files,
    kinds=(
        FileKind(
            "hub",
            "metadata.jsonl of pictures, as `datasets` of Hugging Face reads it",
            HubRow,
            passes_over=True,
            faults=_faults,
        ),
    ),
)
