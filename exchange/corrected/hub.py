"""Corrections of hub folders and Parquet files: the parallel lists of the boxes of images that changed."""

from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.corrected.corrected_image import Edit
from exchange.corrected.kept_edits import KeptEdits
from exchange.corrected.line_edits import edit_lines
from exchange.corrected.phrase_edits import PhraseEdit, phrase_edits
from exchange.details import whole_box
from exchange.grounding.hub import METADATA, NO_PHRASE, UNKNOWN
from exchange.grounding.phrases import xywh
from exchange.names import same_path
from exchange.problems import Defect

_PLACE = ("caption", "start", "end")


def patch_hub(source: Path, target: Path, edits: KeptEdits) -> None:
    """Write the rows of the source into `target`, with other objects for images that changed."""

    def edited(row: Any) -> Any:
        edit = edits.get(same_path(str(row.get("file_name"))))
        return None if edit is None else with_objects(row, edit)

    edit_lines(source / METADATA, target / METADATA, edited)


def with_objects(row: dict[str, Any], edit: Edit) -> dict[str, Any]:
    """Return the row of an image with other objects. Columns that are not known go with their boxes."""
    columns = row["objects"]
    changed = {(place, *span): one for place, own in enumerate(phrase_edits(edit)) for span, one in own.items()}
    entries = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    by_phrase = [(_place(one), one) for one in entries]
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
