"""Corrections of Visual Genome's regions: the boxes of regions that changed, and regions that have none any more."""

from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.formats.edits import Edit, EditStore
from exchange.formats.json_edits import edit_json, id_in
from exchange.formats.phrase_edits import phrases_of
from exchange.formats.phrases import xywh
from exchange.formats.visual_genome.read import REGIONS, SIDES


def patch_visual_genome(source: Path, target: Path, edits: EditStore) -> None:
    """Write the file of regions into `target`. A region that changed keeps its id."""

    def edited(key: str, entry: Any) -> list[Any] | None:
        edit = edits.get(id_in(entry, "image_id" if "image_id" in entry else "id"))
        if edit is None:
            return None
        regions = _regions(entry["regions"], edit)
        if regions == entry["regions"]:
            return None
        return [entry | {"regions": regions}] if regions else []

    edit_json(source / REGIONS, target / REGIONS, edited)


def _regions(rows: list[Any], edit: Edit) -> list[Any]:
    found = []
    said = {mention.chain: mention.caption for mention in edit.before.mentions}
    images = [phrases_of(image) for image in (edit.before, edit.after)]
    for row in rows:
        caption = said.get(str(id_in(row, "region_id")))
        if caption is None:  # the import left the region out
            found.append(row)
            continue
        was, now = (phrases[caption] for phrases in images)
        before, after = (next((one.boxes for one in said.values()), ()) for said in (was, now))
        if box := one_box(before, after):
            found.append(row | dict(zip(SIDES, xywh(box), strict=True)) if box not in before else row)
    return found


def one_box(before: tuple[Box, ...], after: tuple[Box, ...]) -> Box | None:
    """Return the box of a phrase in a format that holds one for each: None if it has no box now.

    One of several boxes is the phrase's own if it was; several new ones cannot be held, and the box stays as it was.
    """
    if not after:
        return None
    if len(after) == 1:
        return after[0]
    return next((one for one in before if one in after), next(iter(before), after[0]))
