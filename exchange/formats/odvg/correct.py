"""Corrections of ODVG JSON Lines: the regions of lines whose phrases changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.formats.edits import EditStore
from exchange.formats.line_edits import edit_lines
from exchange.formats.odvg.read import boxes_of, has_caption, odvg_files, spans_of_region
from exchange.formats.phrase_edits import PhraseEdit, Span, phrase_edits
from exchange.formats.spans import SaidImage
from exchange.names import same_path
from exchange.problems import Defect


def patch_odvg(source: Path, target: Path, edits: EditStore) -> None:
    """Write the file of the source into `target`, with other regions where phrases changed."""
    lines: dict[str, int] = {}

    def edited(row: Any) -> Any:
        path = same_path(str(row.get("filename")))
        edit = edits.get(path)
        if edit is None or not has_caption(row):
            return None
        caption = lines[path] = lines.get(path, -1) + 1
        changed = phrase_edits(edit)[caption]
        if not changed:
            return None
        grounding = row["grounding"]
        said = SaidImage(path, edit.before.width, edit.before.height, "", "")
        regions = _regions(grounding.get("regions") or [], grounding["caption"], said, changed)
        return row | {"grounding": grounding | {"regions": regions}}

    for file in odvg_files(source):
        edit_lines(file, target / file.name, edited)


def _regions(rows: Sequence[Any], text: str, image: SaidImage, changed: dict[Span, PhraseEdit]) -> list[Any]:
    """Return the regions of a caption. Phrases that changed get a region for each box, in the place of their first."""
    raw: dict[Box, Any] = {}
    for row in rows:
        raw |= boxes_of(row.get("bbox"), image) if isinstance(row, dict) else {}
    model: dict[str, Any] = next((row for row in rows if isinstance(row, dict) and "chain" in row), {})
    left, found = dict(changed), []
    for row in rows:
        try:
            spans = spans_of_region(row, text, "")
        except Defect:  # the import left the region out
            found.append(row)
            continue
        stay = [span for span in spans if span not in changed]
        if len(stay) == len(spans):
            found.append(row)
        elif stay:
            found.append(row | {"tokens_positive": [list(span) for span in stay]})
        for span in spans:
            if one := left.pop(span, None):
                found += _regions_of(row, one, raw, alone=len(spans) == 1)
    for one in left.values():
        found += _regions_of(dict.fromkeys(("bbox", "phrase", "tokens_positive", *model.keys() & {"chain"})), one, raw)
    return found


def _regions_of(row: Any, edit: PhraseEdit, raw: dict[Box, Any], *, alone: bool = False) -> list[Any]:
    """Return a region in the form of a row for each box of a phrase; none for a phrase without boxes."""
    if edit.after is None:
        return []
    new: dict[str, Any] = {}
    if not alone:
        new |= {"phrase": edit.text, "tokens_positive": [list(edit.span)]}
    if "chain" in row:
        new["chain"] = edit.after.chain
    kept = {name: value for name, value in (row | new).items() if name != "confidence"}
    return [kept | {"bbox": raw.get(box, list(box))} for box in edit.after.boxes]
