"""RefCOCO, RefCOCO+ and RefCOCOg: referring expressions and the objects of COCO."""

from exchange.formats.coco.tables import instance_files
from exchange.formats.edits import key_of_id
from exchange.formats.format import Corrector, Format, count_matches
from exchange.formats.refcoco.correct import patch_refcoco
from exchange.formats.refcoco.read import read_refcoco, refs_files

REFCOCO = Format(
    name="refcoco",
    title="RefCOCO, RefCOCO+ and RefCOCOg",
    marks="refs*.json or refs*.p",
    detects=lambda path: bool(refs_files(path)),
    read=read_refcoco,
    either_unit=True,
    count=lambda path: count_matches(instance_files(path), rb'"file_name"\s*:'),
    correct=Corrector(key_of_id, patch_refcoco),
)
