"""ODVG JSON Lines of the Grounding DINO family: a line for each caption."""

from functools import partial

from exchange.formats.edits import key_of_path
from exchange.formats.format import Corrector, Format, Loss, Need, count_matches
from exchange.formats.grounding_rows import OdvgLine
from exchange.formats.json_lines import layout_of_lines
from exchange.formats.odvg.correct import patch_odvg
from exchange.formats.odvg.read import odvg_files, read_odvg
from exchange.formats.odvg.write import write_odvg
from exchange.formats.record_sets import INTEGER, SIZE, TEXT, Column, Rows
from exchange.formats.schema.imported import imported
from exchange.formats.schema.kind import LINES, OPEN, Kind

_REGIONS = ("$.regions",)
ODVG = Format(
    name="odvg",
    title="captions with boxes, as the Grounding DINO family reads them",
    marks="a .jsonl file with grounding",
    detects=lambda path: bool(odvg_files(path)),
    read=read_odvg,
    either_unit=True,
    count=lambda path: count_matches(odvg_files(path), rb'"filename"\s*:'),
    correct=Corrector(key_of_path, patch_odvg),
    write=write_odvg,
    layout=layout_of_lines,
    ending=".jsonl",
    needs=frozenset({Need.CHANCES}),
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
        Kind(
            "odvg",
            "Captions with boxes, as the Grounding DINO family reads them",
            OdvgLine,
            LINES,
            OPEN,
            partial(imported, reader=read_odvg, name="rows.jsonl"),
        ),
    ),
)
"""Paths and ids are lost with the images without any phrase that has a box, and those images alone."""
