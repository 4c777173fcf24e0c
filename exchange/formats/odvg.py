"""ODVG JSON Lines, which the Grounding DINO family trains on: a line for each caption, with its regions."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NotRequired

from annotated_types import Len
from typing_extensions import TypedDict

from annotation.bounds import MOST_BOXES
from annotation.rules.box import Box
from exchange.checks import Defect, as_id, as_list, as_number, as_text, kind, member
from exchange.dataset import DatasetImage, Problem
from exchange.declared import OURS, Id, Numbers4, Pixels
from exchange.details import BoxForm
from exchange.formats.edits import EditStore, PhraseEdit, key_of_path, phrase_edits
from exchange.formats.format import (
    EVERY_OPTION,
    INTEGER,
    SIZE,
    TEXT,
    Column,
    Corrector,
    Format,
    Loss,
    RowNeed,
    Rows,
    SourceFiles,
    count_matches,
)
from exchange.formats.parts import LAYOUT_OF_LINES, ExportPart, write_lines
from exchange.formats.phrases import GroundedImage, GroundedPhrase, NegativeRow, Spans, Sure, chance_of, grounded
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.schema.kind import FileKind, imported
from exchange.formats.spans import (
    SourceCaption,
    SourceImage,
    SourceImages,
    add_negatives,
    bad_lines,
    caption_text,
    check_phrase,
    negatives_left,
    spans_of,
)
from exchange.formats.text_streams import edit_lines
from exchange.names import same_path
from exchange.split_captions import Span, places_of


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
    negatives: NotRequired[Sequence[NegativeRow]]
    """The phrases of which nothing can be boxed; in exports with the option `negatives`."""


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


FILES = SourceFiles(".jsonl files with grounding", "*.jsonl", lambda beginning: b'"grounding"' in beginning, 1 << 16)


def read_odvg(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    Phrases of an image with the very same boxes are one chain, unless the file names chains. Types come from the
    dictionaries. A region without `tokens_positive` is found by its text, which its caption must have once. Raises
    SourceError for a folder without such a file, or with several, and for a file with too many bad lines.
    """
    file = FILES.only_in(path)
    shown = file.name
    images = SourceImages(shown, pictures or FolderPictures(path), form)
    yield from bad_lines(file, shown, lambda row, line: _add(images, row, line))
    yield from images.read()


def _add(images: SourceImages, row: Any, line: int) -> None:
    """Add the caption of a line to its image. Raises Defect for a line that names no image, or no size of it."""
    where = f"line {line}"
    path = as_text(member(row, "filename", where), f"{where}: filename")
    image, measured = images.of_row(row, path, where, line)
    if "image_id" in row:
        with image.details.left_out("the id", line):
            image.coco_id = as_id(row["image_id"], f"{where}: image_id")
    with image.details.left_out("the caption", line):
        grounding = member(row, "grounding", where)
        inside = f"{where}: grounding"
        caption = SourceCaption(caption_text(member(grounding, "caption", inside), f"{where}: caption"), where)
        image.captions.append(caption)
        regions = as_list(member(grounding, "regions", inside), f"{where}: regions") if measured else []
        for place, region in enumerate(regions):
            with image.details.left_out("the region", line):
                _add_region(region, caption, image, f"{where}: regions[{place}]")
        add_negatives(grounding, caption, image, inside, line)


def has_caption(row: Any) -> bool:
    """Tell whether the caption of a line is read."""
    try:
        caption_text(member(member(row, "grounding", ""), "caption", ""), "")
    except Defect:
        return False
    return True


def _add_region(region: Any, caption: SourceCaption, image: SourceImage, where: str) -> None:
    spans = spans_of_region(region, caption.text, where)
    chain = as_text(region["chain"], f"{where}.chain") if "chain" in region else None
    boxes = []
    for value in edges_of(member(region, "bbox", where), f"{where}.bbox"):
        with image.details.left_out("the box"):
            boxes.append(image.box(_sides(value, f"{where}.bbox"), f"{where}.bbox"))
    for span in spans if boxes else ():
        caption.boxes.setdefault(span, []).extend(boxes)
        if chain is not None:
            caption.chains[span] = chain


def spans_of_region(region: Any, text: str, where: str) -> list[tuple[int, int]]:
    """Return the characters of the region's phrases.

    Raises Defect for one that the caption does not have once, and for spans that are not those of the phrase.
    """
    if not isinstance(region, dict):
        raise Defect(f"{where} is {kind(region)}, not an object")
    if "tokens_positive" in region:
        spans = spans_of(region["tokens_positive"], text, f"{where}.tokens_positive")
        if region.get("phrase") is not None:
            check_phrase(spans, region["phrase"], text, where)
        return spans
    phrase = as_text(member(region, "phrase", where), f"{where}.phrase").strip()
    places = places_of(phrase, text)
    if len(places) != 1:
        raise Defect(f"{where}: the caption does not have {phrase[:60]!r} once: give tokens_positive")
    return places


def edges_of(value: object, where: str) -> list[Any]:
    """Return the boxes of a region, which has one or a list, as they stand there. Raises Defect for none."""
    rows = as_list(value, where)
    if not rows:
        raise Defect(f"{where} is empty")
    if len(rows) > MOST_BOXES:
        raise Defect(f"{where} has {len(rows):,} boxes: at most {MOST_BOXES:,} are allowed")
    return rows if isinstance(rows[0], list) else [rows]


def boxes_of(value: object, image: SourceImage) -> dict[Box, Any]:
    """Return the boxes of a region that are read, with what stands there."""
    found: dict[Box, Any] = {}
    with suppress(Defect):
        for edge in edges_of(value, ""):
            with suppress(Defect):
                found[image.box(_sides(edge, ""), "")] = edge
    return found


def _sides(value: object, where: str) -> list[float]:
    """Return [left, top, right, bottom] as left, top, width and height. Raises Defect."""
    edges = [as_number(edge, where) for edge in as_list(value, where)]
    if len(edges) != 4:
        raise Defect(f"{where} has {len(edges)} numbers, not 4 (left, top, right, bottom)")
    x0, y0, x1, y1 = edges
    return [x0, y0, x1 - x0, y1 - y0]


def write_odvg(images: Iterable[DatasetImage], part: ExportPart) -> int:
    """Write the images, and return their number. The same images give the same bytes.

    Each box of each phrase is a region: readers take one box a region. Regions of a phrase have the same span, and
    equal phrases of a caption have different ones.
    """
    return write_lines(grounded(images, part.notes, first=part.start.grounded + 1), _lines, part)


def _lines(image: GroundedImage) -> Iterator[OdvgLine]:
    one = image.image
    for caption in image.captions:
        line: OdvgLine = {
            "filename": one.file_name,
            "height": one.height,
            "width": one.width,
            "grounding": {
                "caption": caption.text,
                "regions": [_region(phrase, box) for phrase in caption.phrases for box in phrase.boxes],
            },
        }
        if one.negatives is not None:
            line["grounding"]["negatives"] = caption.negatives
        if one.coco_id is not None:
            line["image_id"] = one.coco_id
        yield line


def _region(phrase: GroundedPhrase, box: Box) -> OdvgRegion:
    return {
        "bbox": list(box),
        "phrase": phrase.text,
        "tokens_positive": [[phrase.start, phrase.end]],
        "chain": phrase.chain,
        **chance_of(phrase),
    }


def patch_odvg(source: Path, target: Path, edits: EditStore) -> None:
    """Write the file of the source into `target`, with other regions where phrases changed."""
    lines: dict[str, int] = {}

    def edited(row: Any) -> Any:
        path = same_path(str(row.get("filename")))
        edit = edits.get(path)
        if edit is None or not has_caption(row):
            return None
        caption = lines[path] = lines.get(path, -1) + 1
        changed = phrase_edits(edit)[caption]
        if not changed:
            return None
        grounding = row["grounding"]
        said = SourceImage(path, edit.before.width, edit.before.height, "", "")
        regions = _regions(grounding.get("regions") or [], grounding["caption"], said, changed)
        left = {"negatives": negatives_left(grounding["negatives"], changed)} if "negatives" in grounding else {}
        return row | {"grounding": grounding | {"regions": regions} | left}

    for file in FILES.all_in(source):
        edit_lines(file, target / file.name, edited)


def _regions(rows: Sequence[Any], text: str, image: SourceImage, changed: dict[Span, PhraseEdit]) -> list[Any]:
    """Return the regions of a caption. Phrases that changed get a region for each box, in the place of their first."""
    raw: dict[Box, Any] = {}
    for row in rows:
        raw |= boxes_of(row.get("bbox"), image) if isinstance(row, dict) else {}
    model: dict[str, Any] = next((row for row in rows if isinstance(row, dict) and "chain" in row), {})
    left, found = dict(changed), []
    for row in rows:
        try:
            spans = spans_of_region(row, text, "")
        except Defect:  # the import left the region out
            found.append(row)
            continue
        stay = [span for span in spans if span not in changed]
        if len(stay) == len(spans):
            found.append(row)
        elif stay:
            found.append(row | {"tokens_positive": [list(span) for span in stay]})
        for span in spans:
            if one := left.pop(span, None):
                found += _regions_of(row, one, raw, alone=len(spans) == 1)
    for change in left.values():
        found += _regions_of(
            dict.fromkeys(("bbox", "phrase", "tokens_positive", *model.keys() & {"chain"})), change, raw
        )
    return found


def _regions_of(row: Any, edit: PhraseEdit, raw: dict[Box, Any], *, alone: bool = False) -> list[Any]:
    """Return a region in the form of a row for each box of a phrase; none for a phrase without boxes."""
    if edit.after is None:
        return []
    new: dict[str, Any] = {}
    if not alone:
        new |= {"phrase": edit.text, "tokens_positive": [list(edit.span)]}
    if "chain" in row:
        new["chain"] = edit.after.chain
    kept = {name: value for name, value in (row | new).items() if name != "confidence"}
    return [kept | {"bbox": raw.get(box, list(box))} for box in edit.after.boxes]


_REGIONS = ("$.regions",)
ODVG = Format(
    name="odvg",
    title="captions with boxes, as the Grounding DINO family reads them",
    marks="a .jsonl file with grounding",
    detects=lambda path: bool(FILES.all_in(path)),
    read=read_odvg,
    either_unit=True,
    count=lambda path: count_matches(FILES.all_in(path), rb'"filename"\s*:'),
    correct=Corrector(key_of_path, patch_odvg),
    write=write_odvg,
    layout=LAYOUT_OF_LINES,
    ending=".jsonl",
    needs=frozenset({RowNeed.CHANCES}),
    options=EVERY_OPTION,
    loses=frozenset(Loss) - {Loss.CHAINS},
    record_sets=(
        Rows(
            "captions",
            "A row for each caption.",
            (
                Column("filename", "The file of the picture."),
                *SIZE,
                Column("caption", "Its text.", TEXT, "grounding", ("$.caption",)),
                Column("phrase", "The phrase of each region.", TEXT, "grounding", (*_REGIONS, "$.phrase"), many=True),
                Column(
                    "bbox",
                    "Edges of each region's only box, x0, y0, x1, y1; a phrase has a region for each of its boxes.",
                    INTEGER,
                    "grounding",
                    (*_REGIONS, "$.bbox"),
                    many=True,
                ),
                Column("chain", "The chain of each region.", TEXT, "grounding", (*_REGIONS, "$.chain"), many=True),
            ),
            (".jsonl",),
        ),
    ),
    kinds=(
        FileKind(
            "odvg",
            "Captions with boxes, as the Grounding DINO family reads them",
            OdvgLine,
            passes_over=True,
            faults=partial(imported, reader=read_odvg, name="rows.jsonl"),
        ),
    ),
)
"""Paths and ids are lost with the images without any phrase that has a box, and those images alone."""
