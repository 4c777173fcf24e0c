"""MDETR's JSON, which GLIP and mmdetection read, too: a row for each caption."""

from functools import partial

from exchange.formats.edits import key_of_path
from exchange.formats.format import Corrector, Format, Loss, Need, count_matches
from exchange.formats.grounding_rows import MdetrFile
from exchange.formats.mdetr.correct import patch_mdetr
from exchange.formats.mdetr.read import mdetr_files, read_mdetr
from exchange.formats.mdetr.write import layout, write_mdetr
from exchange.formats.record_sets import BBOX, INTEGER, NAME, SIZE, Column, Rows
from exchange.formats.schema.imported import imported
from exchange.formats.schema.kind import OPEN, WHOLE, Kind

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
    detects=lambda path: bool(mdetr_files(path)),
    read=read_mdetr,
    either_unit=True,
    count=lambda path: count_matches(mdetr_files(path), rb'"file_name"\s*:'),
    correct=Corrector(key_of_path, patch_mdetr),
    write=write_mdetr,
    layout=layout,
    ending=".json",
    needs=frozenset({Need.CHANCES}),
    loses=frozenset({Loss.OTHER_PHRASES, Loss.TYPES, Loss.FIRST_TYPES, Loss.REASONS, Loss.OTHER_BOXES}),
    record_sets=(
        Rows("captions", "A row for each caption.", _CAPTIONS, (".json",), "images"),
        Rows("boxes", "A row for each box of each phrase.", _BOXES, (".json",), "annotations"),
    ),
    kinds=(
        Kind(
            "mdetr",
            "Captions with boxes, as MDETR, GLIP and mmdetection read them",
            MdetrFile,
            WHOLE,
            OPEN,
            partial(imported, reader=read_mdetr, name="rows.json"),
        ),
    ),
)
