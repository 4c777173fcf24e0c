"""Reading an export in any of its formats."""

from pathlib import Path

from evaluation.errors import InputError
from evaluation.reading.coco import read_coco
from evaluation.reading.coco_names import INSTANCES
from evaluation.reading.entities import Shown, read_entities
from evaluation.reading.picture import Picture
from evaluation.reading.record import read_record
from evaluation.reading.source import Source, folder_of

RECORD = ".jsonl"


def read_pictures(path: Path, shown: Shown = lambda names, _: names) -> list[Picture]:
    """Return the pictures by name of an export as flickr30k-entities or coco, folder or archive, or as jsonl.

    Raises InputError, which names the file and the place.
    """
    if path.suffix.lower() == RECORD and path.is_file():
        return read_record(path)
    names = Source(path).names()
    if folder_of(names, "Sentences") is not None:
        return read_entities(path, shown)
    if any(name.rpartition("/")[2] == INSTANCES for name in names):
        return read_coco(path)
    raise InputError(
        f"{path} is not a readable export: it has neither Sentences/ (flickr30k-entities) nor {INSTANCES} (coco)."
    )
