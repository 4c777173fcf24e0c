"""COCO's JSON files as tables: images, and their captions and boxes by image id."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from annotation.bounds import JSON_BYTES
from exchange.checks import as_id, as_list, as_text, member, parse_json, same_id
from exchange.dataset import Detail, Problem
from exchange.problems import BadRows, Defect, SourceError
from exchange.read_text import decode, read_bytes

Id = int | str

_CAPTIONS = re.compile(rb'"captions"\s*:\s*\[')
_KIND = re.compile("^(captions|instances)")
_PIECE, _OVERLAP = 1 << 20, 100


@dataclass(slots=True)
class Row:
    """An entry of a list in a JSON file, with its file and its place."""

    value: Any
    file: str
    where: str
    split: str = ""
    """The part of the data set that the file's name tells: train of captions_train.json."""


@dataclass(slots=True)
class Tables:
    """The contents of the files by image id. `problems` are about entries that have no usable id."""

    images: dict[Id, list[Row]] = field(default_factory=dict)
    listed: dict[Id, list[Row]] = field(default_factory=dict)
    """The images of the files of boxes beside those of captions."""
    captions: dict[Id, list[Row]] = field(default_factory=dict)
    boxes: dict[Id, list[Row]] = field(default_factory=dict)
    chains: dict[Id, list[Row]] = field(default_factory=dict)
    """The chains of an image, in files that exports wrote."""
    categories: dict[Id, str] = field(default_factory=dict)
    twice: dict[Id, str] = field(default_factory=dict)
    """Captions or boxes whose id is that of another one, with the place of that."""
    problems: list[Problem] = field(default_factory=BadRows)
    repeated: list[Problem] = field(default_factory=list)
    """Captions and boxes whose id occurs twice, and whether they are read."""
    several: set[Id] = field(default_factory=set)
    """Ids of an image in each of several splits."""

    def key(self, image: Id, split: str) -> Id:
        """Return what tells the image of a file from others: its id, with the split where several have this id."""
        return f"{split}: {image}" if same_id(image) in self.several else same_id(image)


def caption_files(path: Path, *, whole: bool = True) -> list[Path]:
    """Return the caption files of a COCO folder, in it or in `annotations/`, by name.

    With `whole`, a folder without captions*.json may have one .json file with boxes under `annotations` and captions
    under `captions`, as exports into one file have them.
    """
    return _json_files(path, "captions") or (one_file(path) if whole else [])


def one_file(path: Path) -> list[Path]:
    """Return the only .json file of the folder, if it has both lists in itself."""
    files = [file for file in sorted(path.glob("*.json")) if file.is_file()]
    return files if len(files) == 1 and _holds_captions(files[0]) else []


def _holds_captions(file: Path) -> bool:
    """Tell whether the file begins like an object with the key `captions`, which may stand far behind."""
    overlap = b""
    with file.open("rb") as source:
        while data := source.read(_PIECE):
            if _CAPTIONS.search(overlap + data):
                return True
            overlap = data[-_OVERLAP:]
    return False


def read_tables(path: Path) -> Tables:
    """Read every captions*.json and instances*.json. Takes about six times their size in memory.

    Raises SourceError for a file that is not JSON or has not COCO's lists.
    """
    tables = Tables()
    if files := _json_files(path, "captions"):
        contents = [_content(path, file) for file in files]
        tables.several = _in_several_splits(contents)
        for content in contents:
            _read_lists(tables, content, tables.images, {"annotations": tables.captions}, tables.chains)
        for file in instance_files(path):
            _read_lists(tables, _content(path, file), tables.listed, {"annotations": tables.boxes})
    else:
        for file in one_file(path):
            lists = {"captions": tables.captions, "annotations": tables.boxes}
            _read_lists(tables, _content(path, file), tables.images, lists, tables.chains)
    _report_unknown(tables, tables.captions, tables.images, "captions")
    _report_unknown(tables, tables.boxes, {**tables.images, **tables.listed}, "boxes")
    return tables


def instance_files(path: Path) -> list[Path]:
    """Return the files of boxes of a COCO folder, in it or in `annotations/`, by name."""
    return _json_files(path, "instances")


def read_instances(path: Path) -> Tables:
    """Read every instances*.json alone: images, boxes and categories. Memory and errors are those of `read_tables`."""
    tables = Tables()
    for file in instance_files(path):
        _read_lists(tables, _content(path, file), tables.images, {"annotations": tables.boxes})
    _report_unknown(tables, tables.boxes, tables.images, "boxes")
    return tables


def _json_files(path: Path, kind: str) -> list[Path]:
    folders = (path, path / "annotations")
    return [file for folder in folders for file in sorted(folder.glob(f"{kind}*.json")) if file.is_file()]


class _Content(NamedTuple):
    """The content of a file."""

    shown: str
    split: str
    value: Any


def _content(path: Path, file: Path) -> _Content:
    """Read a file. Raises SourceError for one that is not JSON."""
    shown = file.relative_to(path).as_posix()
    split = _KIND.sub("", file.stem).strip("_-. ")
    try:
        return _Content(shown, split, parse_json(decode(read_bytes(file, most=JSON_BYTES))))
    except Defect as defect:
        raise SourceError(defect.problem(shown)) from defect


def _in_several_splits(contents: list[_Content]) -> set[Id]:
    """Return the ids that images of several splits have."""
    splits: dict[Id, set[str]] = {}
    for content in contents:
        rows = content.value.get("images") if isinstance(content.value, dict) else None
        for entry in rows if isinstance(rows, list) else ():
            with suppress(Defect):
                number = same_id(as_id(member(entry, "id", ""), ""))
                splits.setdefault(number, set()).add(content.split)
    return {number for number, own in splits.items() if len(own) > 1}


def _read_lists(
    tables: Tables,
    content: _Content,
    images: dict[Id, list[Row]],
    lists: dict[str, dict[Id, list[Row]]],
    chains: dict[Id, list[Row]] | None = None,
) -> None:
    """Read the images of a file, and the lists that belong to them; `chains`, too, if it has such a list."""
    try:
        rows = {key: as_list(member(content.value, key, "the file"), key) for key in ("images", *lists)}
        categories = as_list(content.value.get("categories", []), "categories")
        listed_chains = as_list(content.value.get("chains", []), "chains")
    except Defect as defect:
        raise SourceError(defect.problem(content.shown)) from defect
    _collect_images(tables, content, rows["images"], images)
    for key, into in lists.items():
        _collect_annotations(tables, content, rows[key], key, into)
    if chains is not None:
        _collect_annotations(tables, content, listed_chains, "chains", chains)
    for place, entry in _numbered(categories, "categories"):
        try:
            name = as_text(member(entry, "name", place), f"{place}.name")
            tables.categories[same_id(as_id(member(entry, "id", place), f"{place}.id"))] = name
        except Defect as defect:
            tables.problems.append(Detail(content.shown, None, "", defect.message))


def _collect_images(tables: Tables, content: _Content, entries: list[Any], into: dict[Id, list[Row]]) -> None:
    for place, entry in _numbered(entries, "images"):
        try:
            number = as_id(member(entry, "id", place), f"{place}.id")
        except Defect as defect:
            if into is not tables.listed:  # an image all the same: it is left out by the name that it has
                name = entry.get("file_name") if isinstance(entry, dict) else None
                image = name if isinstance(name, str) and name else place
                tables.problems.append(defect.problem(content.shown, image, key=f"{content.shown}:{place}"))
        else:
            row = Row(entry, content.shown, place, content.split)
            into.setdefault(tables.key(number, content.split), []).append(row)


def _collect_annotations(
    tables: Tables, content: _Content, entries: list[Any], name: str, into: dict[Id, list[Row]]
) -> None:
    first: dict[Id, tuple[str, Any]] = {}
    for place, entry in _numbered(entries, name):
        try:
            image = as_id(member(entry, "image_id", place), f"{place}.image_id")
        except Defect as defect:
            tables.problems.append(Detail(content.shown, None, "", f"{defect.message}: it is left out"))
            continue
        with suppress(Defect):  # readers pass over an id: little refers to an annotation by it
            number = same_id(as_id(entry.get("id"), place))
            there, same = first.setdefault(number, (place, entry))
            if there != place:
                tables.twice[number] = there
                again = f"{place}: the annotation id {number!r} occurs twice, in {there}, too"
                what = "it is left out" if same == entry else "both are read"
                tables.repeated.append(Detail(content.shown, None, "", f"{again}: {what}"))
                if same == entry:
                    continue
        into.setdefault(tables.key(image, content.split), []).append(Row(entry, content.shown, place, content.split))


def _numbered(entries: list[Any], name: str) -> Iterator[tuple[str, Any]]:
    return ((f"{name}[{index}]", entry) for index, entry in enumerate(entries))


def _report_unknown(tables: Tables, annotations: dict[Id, list[Row]], images: dict[Id, list[Row]], name: str) -> None:
    for image, rows in annotations.items():
        if image not in images:
            message = f"{rows[0].where}: image_id {image!r} is in no list of images; its {name} are left out"
            tables.problems.append(Detail(rows[0].file, None, "", message))
