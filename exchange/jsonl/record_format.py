"""The format of the whole record of a project."""

from exchange.formats.format import Format
from exchange.formats.json_lines import layout_of_lines
from exchange.formats.record_sets import INTEGER, SIZE, TEXT, Column, Rows
from exchange.formats.schema.kind import Kind
from exchange.jsonl.references import wrong_references
from exchange.jsonl.rows import JsonlLine
from exchange.jsonl.write import RecordLines, write_record

RECORD = Format(
    name="jsonl",
    title="the whole record of a project",
    write=write_record,
    load=RecordLines,
    layout=layout_of_lines,
    ending=".jsonl",
    numbered=False,
    record=True,
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
        Kind(
            "jsonl",
            "The whole record of a project, as `export_dataset --format jsonl` writes it",
            JsonlLine,
            faults=wrong_references,
        ),
    ),
)
