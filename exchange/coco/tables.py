"""COCO's JSON files as tables: images, and their captions and boxes by image id."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.bounds import JSON_BYTES
from exchange.checks import as_id, as_list, as_text, member, parse_json
from exchange.dataset import Problem
from exchange.problems import Defect, SourceError
from exchange.read_text import decode, read_bytes

Id = int | str


@dataclass(slots=True)
class Row:
    """An entry of a list in a JSON file, with its file and its place."""

    value: Any
    file: str
    where: str


@dataclass(slots=True)
class Tables:
    """The contents of the files by image id. `problems` are about entries that belong to no image."""

    images: dict[Id, list[Row]] = field(default_factory=dict)
    captions: dict[Id, list[Row]] = field(default_factory=dict)
    boxes: dict[Id, list[Row]] = field(default_factory=dict)
    categories: dict[Id, str] = field(default_factory=dict)
    twice: dict[Id, Defect] = field(default_factory=dict)
    """Images with a caption or box whose id occurs twice, and what is wrong."""
    problems: list[Problem] = field(default_factory=list)


def caption_files(path: Path) -> list[Path]:
    """Return the caption files of a COCO folder, in it or in `annotations/`, by name."""
    return _json_files(path, "captions")


def read_tables(path: Path) -> Tables:
    """Read every captions*.json and instances*.json. Takes about six times their size in memory.

    Raises SourceError for a file that is not JSON or has not COCO's lists.
    """
    tables = Tables()
    for file in caption_files(path):
        _read_file(tables, path, file, tables.images, tables.captions)
    listed: dict[Id, list[Row]] = {}
    for file in _json_files(path, "instances"):
        _read_file(tables, path, file, listed, tables.boxes)
    _report_unknown(tables, tables.captions, tables.images, "captions")
    _report_unknown(tables, tables.boxes, {**tables.images, **listed}, "boxes")
    return tables


def _json_files(path: Path, kind: str) -> list[Path]:
    folders = (path, path / "annotations")
    return [file for folder in folders for file in sorted(folder.glob(f"{kind}*.json")) if file.is_file()]


def _read_file(
    tables: Tables, path: Path, file: Path, images: dict[Id, list[Row]], annotations: dict[Id, list[Row]]
) -> None:
    shown = file.relative_to(path).as_posix()
    try:
        content = parse_json(decode(read_bytes(file, most=JSON_BYTES)))
        rows = {key: as_list(member(content, key, "the file"), key) for key in ("images", "annotations")}
        categories = as_list(content.get("categories", []), "categories")
    except Defect as defect:
        raise SourceError(defect.problem(shown)) from defect
    _collect(tables, shown, rows["images"], "images", "id", images)
    _collect_annotations(tables, shown, rows["annotations"], annotations)
    for place, entry in _numbered(categories, "categories"):
        try:
            name = as_text(member(entry, "name", place), f"{place}.name")
            tables.categories[as_id(member(entry, "id", place), f"{place}.id")] = name
        except Defect as defect:
            tables.problems.append(defect.problem(shown))


def _collect(tables: Tables, shown: str, entries: list[Any], name: str, key: str, into: dict[Id, list[Row]]) -> None:
    for place, entry in _numbered(entries, name):
        try:
            found = as_id(member(entry, key, place), f"{place}.{key}")
        except Defect as defect:
            tables.problems.append(defect.problem(shown))
        else:
            into.setdefault(found, []).append(Row(entry, shown, place))


def _collect_annotations(tables: Tables, shown: str, entries: list[Any], into: dict[Id, list[Row]]) -> None:
    _collect(tables, shown, entries, "annotations", "image_id", into)
    first: dict[Id, Any] = {}
    for place, entry in _numbered(entries, "annotations"):
        number = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(number, int | str):
            continue
        image = entry.get("image_id")
        if number in first:
            for other in (image, first[number]):
                if isinstance(other, int | str):
                    tables.twice[other] = Defect(f"{place}: the annotation id {number!r} occurs twice")
        first[number] = image


def _numbered(entries: list[Any], name: str) -> Iterator[tuple[str, Any]]:
    return ((f"{name}[{index}]", entry) for index, entry in enumerate(entries))


def _report_unknown(tables: Tables, annotations: dict[Id, list[Row]], images: dict[Id, list[Row]], name: str) -> None:
    for image, rows in annotations.items():
        if image not in images:
            message = f"{rows[0].where}: image_id {image!r} is in no list of images; its {name} are left out"
            tables.problems.append(Problem(rows[0].file, None, "", message))
