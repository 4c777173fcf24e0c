"""Corrections of MDETR's JSON: annotations of the captions whose phrases changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.details import whole_box
from exchange.formats.edits import Edit, EditStore
from exchange.formats.json_edits import edit_json, entries_of, id_in
from exchange.formats.mdetr.read import apart_in, has_caption, mdetr_files
from exchange.formats.phrase_edits import PhraseEdit, Span, phrase_edits
from exchange.formats.phrases import xywh
from exchange.formats.spans import spans_of
from exchange.names import same_path
from exchange.problems import Defect


def patch_mdetr(source: Path, target: Path, edits: EditStore) -> None:
    """Write the file of the source into `target`, with other annotations. A box that moved keeps its id."""
    for file in mdetr_files(source):
        patch = _Patch(edits)
        for key, entry in entries_of(file):
            patch.look_at(key, entry)
        edit_json(file, target / file.name, patch.edited, patch.added)


SURE = "confidence"
"""The chance of a phrase, in exports of ours: what changed has another one, which is not known here."""


class _Patch:
    """The edits of a file. It is read once for its ids, and once more to be written."""

    def __init__(self, edits: EditStore) -> None:
        self.edits = edits
        self.rows: dict[Any, tuple[str, int, frozenset[Span]]] = {}
        """Of each row of a changed image: the path, the number of its caption, and spans that are phrases alone."""
        self.captions: dict[str, int] = {}
        self.next = 0
        self._row: tuple[Any, Edit, dict[Span, PhraseEdit]] | None = None
        self.names_chains = False

    def look_at(self, key: str, entry: Any) -> None:
        """Note the rows of images that change, and the largest id of an annotation."""
        if not isinstance(entry, dict):
            return
        if key == "images" and (path := same_path(str(entry.get("file_name")))) in self.edits:
            if not has_caption(entry):
                return
            self.captions[path] = self.captions.get(path, -1) + 1
            self.rows.setdefault(id_in(entry, "id"), (path, self.captions[path], apart_in(entry)))
        elif key == "annotations":
            number = entry.get("id")
            self.next = max(self.next, number if isinstance(number, int) else 0)
            self.names_chains = self.names_chains or "chain" in entry

    def edited(self, key: str, entry: Any) -> list[Any] | None:
        """Return what takes the place of an annotation."""
        row = id_in(entry, "image_id")
        if key != "annotations" or row not in self.rows:
            return None
        edit, changed = self._changes(row)
        try:
            spans = spans_of(entry.get("tokens_positive"), self._text(edit, row), "", self.rows[row][2])
            box = whole_box(entry.get("bbox"), edit.before.width, edit.before.height, "")
        except Defect:  # the import left the box out
            return None
        if not changed.keys() & set(spans):
            return None
        found: dict[tuple[Box, str | None], list[Span]] = {}
        for span in sorted(spans, key=lambda one: one in changed):  # what stays keeps the id
            one = changed.get(span)
            after = one.after if one else None
            now = one.boxes.instead.get(box, box) if one else box
            if now is not None and (one is None or after is not None):
                found.setdefault((now, after.chain if after else None), []).append(span)
        return [
            self._entry(entry, *what, own, new=place > 0, moved=what[0] != box, part=len(own) < len(spans))
            for place, (what, own) in enumerate(found.items())
        ]

    def added(self, key: str) -> Iterator[Any]:
        """Yield annotations of boxes that no phrase had."""
        for row in self.rows if key == "annotations" else ():
            _, changed = self._changes(row)
            for one in changed.values():
                for box in one.boxes.added:
                    assert one.after is not None
                    self.next += 1
                    entry = {"id": self.next, "image_id": row, "bbox": xywh(box), "area": box.area, "category_id": 1}
                    entry |= {"iscrowd": 0, "tokens_positive": [list(one.span)]}
                    yield entry | ({"chain": one.after.chain} if self.names_chains else {})

    def _changes(self, row: Any) -> tuple[Edit, dict[Span, PhraseEdit]]:
        if self._row is None or self._row[0] != row:
            path, caption, _ = self.rows[row]
            edit = self.edits.get(path)
            assert edit is not None
            self._row = row, edit, phrase_edits(edit)[caption]
        return self._row[1:]

    def _text(self, edit: Edit, row: Any) -> str:
        return edit.before.captions[self.rows[row][1]].text

    def _entry(
        self, entry: Any, box: Box, chain: str | None, spans: list[Span], *, new: bool, moved: bool, part: bool
    ) -> Any:
        changed: dict[str, Any] = {}
        if new:
            self.next += 1
            changed["id"] = self.next
        if moved:
            changed |= {"bbox": xywh(box), "area": box.area}
        if chain is not None and "chain" in entry:
            changed["chain"] = chain
        if part:
            changed["tokens_positive"] = [list(span) for span in spans]
        return {name: value for name, value in (entry | changed).items() if name != SURE}
