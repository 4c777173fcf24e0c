"""The formats into which corrections are written, and what writes them."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from exchange.checks import same_id
from exchange.dataset import DatasetImage
from exchange.detect import COCO, FLICKR30K, HUB, MDETR, ODVG, PARQUET, REFCOCO, VISUAL_GENOME
from exchange.formats.coco.correct import patch_coco
from exchange.formats.edits import KeptEdits
from exchange.formats.flickr30k.correct import patch_flickr30k
from exchange.formats.hub.correct import patch_hub
from exchange.formats.mdetr.correct import patch_mdetr
from exchange.formats.odvg.correct import patch_odvg
from exchange.formats.parquet.correct import patch_parquet
from exchange.formats.refcoco.correct import patch_refcoco
from exchange.formats.visual_genome.correct import patch_visual_genome
from exchange.names import same_path


class Corrected(NamedTuple):
    """A format."""

    key_of: Callable[[DatasetImage], int | str]
    """Returns what tells an image from others in the files of the format."""
    patch: Callable[[Path, Path, KeptEdits], None]
    """Writes what changes of the files of one folder into another one, which has copies of them all.

    Raises Defect for a file in which the edits have no place.
    """


def _by_files(image: DatasetImage) -> str:
    return Path(image.source).stem


def _by_path(image: DatasetImage) -> str:
    return same_path(image.path)


def _by_id(image: DatasetImage) -> int | str:
    assert image.coco_id is not None  # the readers of these formats refuse images without
    return same_id(image.coco_id)


FORMATS: dict[str, Corrected] = {
    FLICKR30K: Corrected(_by_files, patch_flickr30k),
    COCO: Corrected(_by_id, patch_coco),
    MDETR: Corrected(_by_path, patch_mdetr),
    ODVG: Corrected(_by_path, patch_odvg),
    HUB: Corrected(_by_path, patch_hub),
    PARQUET: Corrected(_by_path, patch_parquet),
    REFCOCO: Corrected(_by_id, patch_refcoco),
    VISUAL_GENOME: Corrected(_by_id, patch_visual_genome),
}
