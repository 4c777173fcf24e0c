"""Every format that the service reads or writes: those of files, and the record of a project, which needs tables."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from exchange.formats import FORMATS as FILE_FORMATS
from exchange.formats.format import INTEGER, SIZE, TEXT, Column, ExportOption, Format, Rows
from exchange.formats.parts import LAYOUT_OF_LINES
from exchange.formats.schema.kind import FileFault, FileKind, lines_of
from exchange.jsonl.rows import ImageLine, JsonlLine
from exchange.jsonl.write import RecordLines, write_record


def wrong_references(path: Path) -> Iterator[FileFault]:
    """Yield what a line refers to in vain. Every line must fit the schema."""
    versions: Collection[int] = ()
    names: dict[str, int] = {}
    for number, read in enumerate(lines_of(path)):
        line = read.value
        if (line["kind"] == "project") is not (number == 0):
            yield FileFault(read.line, "kind is not right: the first line is the project, all others are images")
        elif line["kind"] == "project":
            versions = {version["version"] for version in line["settings"]}
        else:
            first = names.setdefault(line["name"], read.line)
            if first != read.line:
                yield FileFault(read.line, f"name is {line['name']!r}, as in line {first}")
            yield from (FileFault(read.line, words) for words in _of_image(line, versions))


def _of_image(line: ImageLine, versions: Collection[int]) -> Iterator[str]:
    """Yield the faults of an image. `versions`: the numbers of the project's settings."""
    mentions = {mention["number"] for mention in line["mentions"]}
    chains = {chain["name"] for chain in line["chains"]}
    boxes = {box["number"] for box in line["boxes"]}
    entries = range(len(line["record"]))
    for at, mention in enumerate(line["mentions"]):
        where, caption = f"mentions[{at}]", mention["caption"]
        words = len(line["captions"][caption]["words"]) if caption < len(line["captions"]) else 0
        if not 0 <= mention["start"] < mention["end"] <= words:
            span = f"[{mention['start']}, {mention['end']})"
            yield f"{where}: caption {caption} has no words {span}: the image has {len(line['captions'])} captions"
        yield from _lost([mention["chain"]], chains, f"{where}.chain", "chain")
    for at, chain in enumerate(line["chains"]):
        yield from _lost(chain["mentions"], mentions, f"chains[{at}].mentions", "mention")
    for at, link in enumerate(line["links"]):
        yield from _lost(link["mentions"], mentions, f"links[{at}].mentions", "mention")
    for at, box in enumerate(line["boxes"]):
        yield from _outside(box["box"], line, f"boxes[{at}].box")
        yield from _lost([box["drawn"], box["accepted"]], entries, f"boxes[{at}]", "entry")
        if box["state"] == BoxState.ACCEPTED:
            yield from _lost([box["chain"]], chains, f"boxes[{at}].chain", "chain")
    for at, known in enumerate(line["known_boxes"]):
        yield from _outside(known["box"], line, f"known_boxes[{at}].box")
    for at, merged in enumerate(line["merged_boxes"]):
        yield from _outside(merged["box"], line, f"merged_boxes[{at}].box")
        yield from _lost(merged["members"], boxes, f"merged_boxes[{at}].members", "box")
        yield from _lost(merged["chains"], chains, f"merged_boxes[{at}].chains", "chain")
    for at, question in enumerate(line["questions"]):
        told = [number for judgment in question["judgments"] for number in (judgment["entry"], judgment["voided"])]
        yield from _lost([question["closed"], *told], entries, f"questions[{at}]", "entry")
    for at, entry in enumerate(line["record"]):
        if entry["sequence"] != at:
            yield f"record[{at}].sequence is {entry['sequence']}, not {at}"
        yield from _lost([entry["settings"]], versions, f"record[{at}].settings", "version of the settings")


def _lost(numbers: Iterable[int | None], known: Collection[int], where: str, what: str) -> Iterator[str]:
    for number in numbers:
        if number is not None and number not in known:
            yield f"{where}: there is no {what} {number}"


def _outside(edges: Sequence[int], line: ImageLine, where: str) -> Iterator[str]:
    if not Box(*edges).fits(line["width"], line["height"]):
        yield f"{where} {list(edges)} is empty or outside the image of {line['width']} x {line['height']} pixels"


RECORD = Format(
    name="jsonl",
    title="the whole record of a project",
    write=write_record,
    load=RecordLines,
    layout=LAYOUT_OF_LINES,
    ending=".jsonl",
    numbered=False,
    record=True,
    options=frozenset({ExportOption.PICTURES}),
    record_sets=(
        Rows(
            "lines",
            "A row for the project, which holds its settings, and then one for each image.",
            (
                Column("kind", "project or image."),
                Column("name", "The name of the project or of the image."),
                Column("state", "How far the image is."),
                *SIZE,
                Column("captions", "Its captions.", TEXT, "captions", ("$.text",), many=True),
                Column("phrases", "Its phrases.", TEXT, "mentions", ("$.text",), many=True),
                Column("chain_of_phrase", "The chain of each.", INTEGER, "mentions", ("$.chain",), many=True),
                Column("boxes", "Edges of each box before merging.", INTEGER, "boxes", ("$.box",), many=True),
                Column("merged_boxes", "Edges of each final box.", INTEGER, "merged_boxes", ("$.box",), many=True),
            ),
            (".jsonl",),
        ),
    ),
    kinds=(
        FileKind(
            "jsonl",
            "The whole record of a project, as `export_dataset --format jsonl` writes it",
            JsonlLine,
            faults=wrong_references,
        ),
    ),
)


FORMATS: dict[str, Format] = {known.name: known for known in (*FILE_FORMATS, RECORD)}


def import_formats() -> list[str]:
    """Return the names of the formats that are read."""
    return [name for name, known in FORMATS.items() if known.read]


def export_formats() -> list[str]:
    """Return the names of the formats that are written."""
    return [name for name, known in FORMATS.items() if known.write]


def installed_formats() -> list[str]:
    """Return the names of the formats that this installation can write: some need an extra."""
    return [name for name in export_formats() if FORMATS[name].is_installed()]


def corrected_formats() -> list[str]:
    """Return the names of the formats into which corrections are written."""
    return [name for name, known in FORMATS.items() if known.correct]


def export_format(name: str) -> Format:
    """Return a format that is written. Raises ValueError for an unknown name."""
    if name not in export_formats():
        raise ValueError(f"Unknown format {name!r}: choose one of {', '.join(export_formats())}.")
    return FORMATS[name]


def import_format(name: str) -> Format:
    """Return a format that is read. Raises ValueError for an unknown name."""
    if name not in import_formats():
        raise ValueError(f"unknown format {name!r}: choose one of {', '.join(import_formats())}")
    return FORMATS[name]
