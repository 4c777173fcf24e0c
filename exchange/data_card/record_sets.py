"""Record sets of Croissant, made of the rows that each format declares."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from exchange.data_card.distribution import FileSet
from exchange.formats.record_sets import Column, Rows


class RecordSet(NamedTuple):
    """The rows of one source."""

    source: str
    """The id of the file, or set of files, that holds them: a file with several lists of rows has an id for each."""
    path: str
    """The path of the file; empty: a set."""
    json: dict[str, Any]


def record_sets(
    rows_of_format: Collection[Rows], files: Mapping[str, str], sets: Iterable[FileSet], parts: Collection[str]
) -> Iterator[RecordSet]:
    """Yield the record sets of an export, each part's apart. `files`: the paths of files by their ids."""
    for id, path in files.items():
        name = PurePosixPath(id).name
        fitting = [rows for rows in rows_of_format if name.endswith(rows.files)]
        for place, rows in enumerate(fitting):
            source = f"{id}/{rows.within}" if place else id
            yield RecordSet(source, path, _record_set(rows, _part(path, parts), "cr:fileObject", source))
    for set_ in sets:
        for rows in rows_of_format:
            if set_.suffix in rows.files:
                yield RecordSet(set_.id, "", _record_set(rows, _part(set_.folder, parts), "cr:fileSet", set_.id))


def _part(path: str, parts: Collection[str]) -> str:
    """Return the part that a path belongs to; empty: the export has none."""
    first = path.split("/")[0]
    return next((part for part in (first, PurePosixPath(first).stem) if part in parts), "")


def _record_set(rows: Rows, part: str, kind: str, source: str) -> dict[str, Any]:
    name = f"{part}-{rows.name}" if part else rows.name
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": rows.what,
        "field": [_field(name, rows, column, {kind.removeprefix("cr:"): {"@id": source}}) for column in rows.columns],
    }


def _field(of: str, rows: Rows, column: Column, source: dict[str, Any]) -> dict[str, Any]:
    place = column.place or column.name
    extract = {"jsonPath": f"$.{rows.within}[*].{place}"} if rows.within else {"column": place}
    if column.of_file:
        extract = {"fileProperty": column.of_file}
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{of}/{column.name}",
        "name": column.name,
        "description": column.what,
        "dataType": column.data_type,
        "source": {**source, "extract": extract},
    }
    if column.paths:
        found["source"]["transform"] = [{"jsonPath": path} for path in column.paths]
    if column.many:
        found["repeated"] = True
    return found
