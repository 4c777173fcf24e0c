"""Corrections of hub folders and Parquet files: the parallel lists of the boxes of images that changed."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.details import whole_box
from exchange.formats.edits import Edit, EditStore
from exchange.formats.hub.read import captions_read, hub_files
from exchange.formats.hub.write import METADATA, NO_PHRASE, UNKNOWN
from exchange.formats.line_edits import edit_lines
from exchange.formats.phrase_edits import PhraseEdit, phrase_edits
from exchange.formats.phrases import xywh
from exchange.names import same_path
from exchange.problems import Defect

_PLACE = ("caption", "start", "end")


def patch_hub(source: Path, target: Path, edits: EditStore) -> None:
    """Write the rows of the source into `target`, with other objects for images that changed."""

    for file in hub_files(source):
        if file.name != METADATA:  # a table has no boxes
            continue
        inside, captions = file.parent.relative_to(source), Captions()

        def edited(row: Any, inside: Path = inside, captions: Captions = captions) -> Any:
            path = same_path((inside / str(row.get("file_name"))).as_posix())
            edit = edits.get(path)
            return None if edit is None else with_objects(row, edit, captions.of(path, row))

        edit_lines(file, target / file.relative_to(source), edited)


class Captions:
    """The captions of the rows of each image: several rows may have one picture."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def of(self, path: str, row: Any) -> list[int | None]:
        """Return the number in its image of each caption of the next row; None for one that is left out."""
        found: list[int | None] = []
        with suppress(Defect):
            for is_read in captions_read(row):
                number = self._next.get(path, 0)
                found.append(number if is_read else None)
                self._next[path] = number + is_read
        return found


def with_objects(row: dict[str, Any], edit: Edit, captions: list[int | None]) -> dict[str, Any]:
    """Return the row of an image with other objects. Columns that are not known go with their boxes.

    `captions`: the numbers of the row's captions in the image.
    """
    columns = row.get("objects")
    edits = phrase_edits(edit)
    changed = {
        (place, *span): one
        for place, number in enumerate(captions)
        for span, one in (edits[number].items() if number is not None else ())
    }
    if not columns or not changed:
        return row
    entries = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    by_phrase = [(_place(entry), entry) for entry in entries]
    last = {place: number for number, (place, _) in enumerate(by_phrase)}
    found: list[dict[str, Any]] = []
    for number, (place, entry) in enumerate(by_phrase):
        one = changed.get(place) if place else None
        if one is None:
            found.append(entry)
            continue
        try:
            box = whole_box(entry["bbox"], edit.before.width, edit.before.height, "bbox")
        except Defect:  # the import left the box out
            found.append(entry)
            continue
        now = one.boxes.instead.get(box, box)
        if one.after is not None and now is not None:
            found.append(_entry(entry, one, now if now != box else None))
        if last[place] == number:
            found += [_entry(entry, one, box) for box in one.boxes.added]
    for place, one in changed.items():
        if place not in last:
            found += [_entry(_new(columns, place), one, box) for box in one.boxes.added]
    return row | {"objects": {name: [one[name] for one in found] for name in columns}}


def _place(entry: dict[str, Any]) -> tuple[int, int, int] | None:
    """Return the caption and the characters of an entry's phrase; None: it has none."""
    if not entry.keys() >= {*_PLACE} or entry["caption"] == NO_PHRASE:
        return None
    return entry["caption"], entry["start"], entry["end"]


def _new(columns: Any, place: tuple[int, int, int]) -> dict[str, Any]:
    return dict.fromkeys(columns) | dict(zip(_PLACE, place, strict=True))


def _entry(entry: dict[str, Any], edit: PhraseEdit, box: Box | None) -> dict[str, Any]:
    """Return the entry of a phrase that changed. `box`: another one than it has; None: the same."""
    assert edit.after is not None
    types = edit.before is None or edit.before.types != edit.after.types
    new = {
        "bbox": entry["bbox"] if box is None else xywh(box),
        "chain": edit.after.chain,
        "phrase": edit.text,
        "confidence": UNKNOWN,
    }
    if types and isinstance(entry.get("categories"), str | None):  # numbers stand for names of the file's own
        new["categories"] = next(iter(edit.after.types), "other")
    return entry | {name: value for name, value in new.items() if name in entry}
