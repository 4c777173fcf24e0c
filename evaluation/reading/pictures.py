"""Reading an export in any format but chat, whose conversations name no chains."""

from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.reading.coco import read_coco, read_whole_coco
from evaluation.reading.coco_names import INSTANCES
from evaluation.reading.entities import Shown, read_entities
from evaluation.reading.grounding import METADATA, hub_rows, parquet_rows, read_hub, read_mdetr, read_odvg
from evaluation.reading.json_lines import json_file, json_lines
from evaluation.reading.picture import Picture
from evaluation.reading.record import read_record
from evaluation.reading.source import Source, folder_of

RECORD, JSON = ".jsonl", ".json"
FORMATS = "flickr30k-entities, coco, jsonl, mdetr, odvg, hub or parquet"
BESIDE_PICTURES = ("annotations.json", "annotations.jsonl")
"""The files of exports with pictures, of formats that are one file."""


def read_pictures(path: Path, shown: Shown = lambda names, _: names) -> list[Picture]:
    """Return the pictures by name of an export in one of FORMATS, as a folder, an archive or a file.

    Raises InputError, which names the file and the place.
    """
    if path.is_file() and path.suffix.lower() in (RECORD, JSON):
        return _lines(path) if path.suffix.lower() == RECORD else _json(path)
    source = Source(path)
    names = source.names()
    if folder_of(names, "Sentences") is not None:
        return read_entities(path, shown)
    if any(name.rpartition("/")[2] == INSTANCES for name in names):
        return read_coco(path)
    if (top := folder_of(names, METADATA)) is not None:
        return read_hub(hub_rows(source, f"{top}{METADATA}"))
    if path.is_dir() and (parts := [name for name in names if name.endswith(".parquet")]):
        return read_hub(parquet_rows(path, parts))
    if path.is_dir() and (there := [name for name in BESIDE_PICTURES if name in names]):
        return read_pictures(path / there[0], shown)
    raise InputError(f"{path} is not a readable export: give one as {FORMATS}, with all of its files.")


def _lines(path: Path) -> list[Picture]:
    return read_odvg(json_lines(path)) if is_odvg(path) else read_record(path)


def is_odvg(path: Path) -> bool:
    """Tell a file of ODVG from the record of a project. Raises InputError for a first line that is no JSON."""
    _, first = next(json_lines(path), ("", None))
    return isinstance(first, dict) and "grounding" in first


def _json(path: Path) -> list[Picture]:
    if (found := pictures_in(json_file(path), path.name)) is not None:
        return found
    raise InputError(
        f"{path.name} is neither a COCO file with captions and boxes nor MDETR's: give an export as {FORMATS}."
    )


def pictures_in(value: Any, name: str) -> list[Picture] | None:
    """Return the pictures of the value of an export that is one JSON file; None for another file. Raises InputError."""
    if isinstance(value, dict) and "captions" in value:
        return read_whole_coco(value)
    entries = value.get("annotations") if isinstance(value, dict) else None
    is_mdetr = isinstance(entries, list) and all(isinstance(one, dict) and "tokens_positive" in one for one in entries)
    return read_mdetr(value, name) if is_mdetr else None
