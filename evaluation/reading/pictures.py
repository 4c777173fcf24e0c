"""Reading an export in any format but chat, whose conversations name no chains."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.reading.coco import read_coco, read_whole_coco
from evaluation.reading.coco_names import INSTANCES
from evaluation.reading.entities import Shown, read_entities
from evaluation.reading.grounding import METADATA, parquet_rows, read_hub, read_mdetr, read_odvg
from evaluation.reading.json_lines import json_file, json_lines, lines_of, parse
from evaluation.reading.picture import Picture
from evaluation.reading.record import read_record
from evaluation.reading.source import Source, folder_of

RECORD, JSON = ".jsonl", ".json"
FORMATS = "flickr30k-entities, coco, jsonl, mdetr, odvg, hub or parquet"
CARD = "croissant.json"
"""A file of data cards, which lie beside exports."""
Lines = Callable[[], Iterator[tuple[str, Any]]]
"""Begins to read lines of JSON, each with its place."""


def read_pictures(path: Path, shown: Shown = lambda names, _: names) -> list[Picture]:
    """Return the pictures by name of an export in one of FORMATS, as a folder, an archive or a file.

    Raises InputError, which names the file and the place.
    """
    if path.is_file() and path.suffix.lower() in (RECORD, JSON):
        if path.suffix.lower() == RECORD:
            return _of_lines(lambda: json_lines(path))
        return _of_value(json_file(path), path.name)
    source = Source(path)
    names = source.names()
    if folder_of(names, "Sentences") is not None:
        return read_entities(path, shown)
    if any(name.rpartition("/")[2] == INSTANCES for name in names):
        return read_coco(path)
    if (top := folder_of(names, METADATA)) is not None:
        return read_hub(lines_of(source.text(f"{top}{METADATA}"), f"{top}{METADATA}"))
    if parts := [name for name in names if name.endswith(".parquet")]:
        return read_hub(parquet_rows(source, parts))
    if len(files := [name for name in names if name.endswith((RECORD, JSON)) and not name.endswith(CARD)]) == 1:
        return _of_text(source.text(files[0]), files[0])
    raise InputError(f"{path} is not a readable export: give one as {FORMATS}, with all of its files.")


def is_odvg(lines: Lines) -> bool:
    """Tell a file of ODVG from the record of a project. Raises InputError for a first line that is no JSON."""
    _, first = next(lines(), ("", None))
    return isinstance(first, dict) and "grounding" in first


def pictures_in(value: Any, name: str) -> list[Picture] | None:
    """Return the pictures of the value of an export that is one JSON file; None for another file. Raises InputError."""
    if isinstance(value, dict) and "captions" in value:
        return read_whole_coco(value)
    entries = value.get("annotations") if isinstance(value, dict) else None
    is_mdetr = isinstance(entries, list) and all(
        isinstance(entry, dict) and "tokens_positive" in entry for entry in entries
    )
    return read_mdetr(value, name) if is_mdetr else None


def _of_text(text: str, name: str) -> list[Picture]:
    """Return the pictures of the only file of an export, from a folder with pictures or an archive."""
    return _of_lines(lambda: lines_of(text, name)) if name.endswith(RECORD) else _of_value(parse(text, name), name)


def _of_lines(lines: Lines) -> list[Picture]:
    return read_odvg(lines()) if is_odvg(lines) else read_record(lines())


def _of_value(value: Any, name: str) -> list[Picture]:
    if (found := pictures_in(value, name)) is None:
        raise InputError(
            f"{name} is neither a COCO file with captions and boxes nor MDETR's: give an export as {FORMATS}."
        )
    return found
