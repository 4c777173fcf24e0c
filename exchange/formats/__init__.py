"""File formats: each is declared, read and written by a package or file here, without a database.

A new format is a `Format` and a place in `FORMATS`.
"""

from collections.abc import Iterable
from pathlib import Path

from exchange.checks import source_error
from exchange.formats.captions_folder import CAPTIONS_FOLDER
from exchange.formats.chat import CHAT
from exchange.formats.coco import COCO
from exchange.formats.cvat import CVAT
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import Format
from exchange.formats.hub import HUB
from exchange.formats.karpathy import KARPATHY
from exchange.formats.label_studio import LABEL_STUDIO
from exchange.formats.mdetr import MDETR
from exchange.formats.odvg import ODVG
from exchange.formats.parquet import PARQUET
from exchange.formats.refcoco import REFCOCO
from exchange.formats.visual_genome import VISUAL_GENOME

FORMATS: tuple[Format, ...] = (
    FLICKR30K,
    COCO,
    CAPTIONS_FOLDER,
    MDETR,
    ODVG,
    CHAT,
    HUB,
    REFCOCO,
    VISUAL_GENOME,
    PARQUET,
    LABEL_STUDIO,
    CVAT,
    KARPATHY,
)


def _remedy(path: Path) -> str:
    """Say what makes a source of pictures readable: a table of captions, which may be there by another name."""
    tables = sorted(file.name for file in path.iterdir() if file.suffix == ".csv")
    if len(tables) == 1:
        return f"If {tables[0]} has the captions, call it captions.csv"
    return "Add captions.csv with the columns image and caption"


def detect(path: Path, formats: Iterable[Format] = FORMATS) -> Format:
    """Return the format of an unpacked source. Raises SourceError for no known format and for several."""
    if not path.is_dir():
        raise source_error(path, "is not a folder: give a folder or a .zip file of one")
    known = [known for known in formats if known.detects is not None]
    detected = [candidate for candidate in known if candidate.detects is not None and candidate.detects(path)]
    if not detected:
        detected = [candidate for candidate in known if candidate.detects_late(path)]
    if not detected:
        marks = ", nor ".join(f"{candidate.marks} ({candidate.name})" for candidate in known)
        lacking = next(filter(None, (candidate.lacks(path) for candidate in known)), "")
        raise source_error(path, lacking or f"is in no known format. {_remedy(path)}. It has neither {marks}")
    if len(detected) > 1:
        names = ", ".join(candidate.name for candidate in detected)
        raise source_error(path, f"could be any of {names}: choose one with --format")
    return detected[0]
