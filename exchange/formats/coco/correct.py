"""Corrections of COCO files with phrases and chains, as our exports are: captions, boxes and chains of changed images.

Files from elsewhere have no chains, and their boxes with categories are not checked.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.dataset import DatasetChain, DatasetImage
from exchange.details import whole_box
from exchange.formats.coco.read import caption_files, instance_files
from exchange.formats.coco.write import corners, types_of_chains
from exchange.formats.edits import Edit, EditStore, moved, phrase_edits, phrases_of
from exchange.formats.phrases import xywh
from exchange.formats.text_streams import edit_json, entries_of, id_in


def patch_coco(source: Path, target: Path, edits: EditStore) -> None:
    """Write the files of the source into `target`, with other captions, boxes and chains of images that changed."""
    captions: dict[int | str, int] = {}
    for file in dict.fromkeys([*caption_files(source), *instance_files(source)]):
        patch = _Patch(edits, captions)
        for key, entry in entries_of(file):
            patch.look_at(key, entry)
        edit_json(file, target / file.relative_to(source), patch.edited, patch.added)


class _Patch:
    """The edits of a file, which is read once for its ids, and once more to be written."""

    def __init__(self, edits: EditStore, captions: dict[int | str, int]) -> None:
        self.edits, self.captions = edits, captions
        self.next = 0
        self.categories: dict[str, Any] = {}
        self.here: list[int | str] = []
        """The images of the file that change."""
        self.has_boxes = False
        self.left: dict[int | str, list[tuple[Box, tuple[str, ...]]]] = {}
        """Boxes that are still to be written, by image."""

    def look_at(self, key: str, entry: Any) -> None:
        """Note the largest id of a box, the categories, and what the file holds."""
        if key == "images" and (number := id_in(entry, "id")) in self.edits:
            self.here.append(number)
        elif key == "categories" and isinstance(entry, dict):
            self.categories[str(entry.get("name"))] = entry.get("id")
        elif key == "annotations" and isinstance(entry, dict) and "bbox" in entry:
            self.has_boxes = True
            self.next = max(self.next, entry["id"] if isinstance(entry.get("id"), int) else 0)

    def edited(self, key: str, entry: Any) -> list[Any] | None:
        """Return what takes the place of an entry; None: it stays."""
        edit = self.edits.get(id_in(entry, "image_id"))
        if edit is None:
            return None
        if key == "chains":
            return _chain(entry, edit)
        if "caption" in entry:
            return self._caption(entry, edit)
        return self._box(entry, edit) if key == "annotations" and entry.get("chains") else None

    def added(self, key: str) -> Iterator[Any]:
        """Yield chains and boxes that are new."""
        for number in self.here if key == "chains" or (key == "annotations" and self.has_boxes) else ():
            edit = self.edits.get(number)
            assert edit is not None
            if key == "chains":
                known = {chain.name for chain in edit.before.chains}
                for chain in edit.after.chains:
                    if chain.name not in known:
                        yield _chain_row(edit.after, chain) | {"image_id": number}
            else:
                for box, names in self._left(number, edit):
                    self.next += 1
                    row = {"id": self.next, "image_id": number, "bbox": xywh(box), "area": box.area, "iscrowd": 0}
                    yield row | {"segmentation": corners(box)} | self._named(edit.after, names)

    def _caption(self, entry: Any, edit: Edit) -> list[Any] | None:
        number = id_in(entry, "image_id")
        place = self.captions[number] = self.captions.get(number, -1) + 1
        changed = phrase_edits(edit)[place]
        if "phrases" not in entry or not any(
            change.before is None
            or change.after is None
            or change.before.chain != change.after.chain
            or change.before.types != change.after.types
            for change in changed.values()
        ):
            return None
        now = phrases_of(edit.after)[place]
        rows = {tuple(row["tokens_positive"][0]): row for row in entry["phrases"]}
        phrases = []
        for span in sorted(now.keys()):
            own = {"chain": now[span].chain, "types": list(now[span].types), "tokens_positive": [list(span)]}
            phrases.append(rows[span] if span in rows and span not in changed else rows.get(span, {}) | own)
        return [entry | {"phrases": phrases}]

    def _box(self, entry: Any, edit: Edit) -> list[Any] | None:
        """Return the box with its chains of now, at its place of now; nothing if no chain has it."""
        box = whole_box(entry["bbox"], edit.before.width, edit.before.height, "")
        left = self._left(id_in(entry, "image_id"), edit)
        instead = _instead(edit).get((box, frozenset(entry["chains"])), box)
        for wanted in left:
            if wanted[0] == instead:
                left.remove(wanted)
                named = self._named(edit.after, wanted[1], entry["chains"])
                same = named == self._named(edit.before, entry["chains"], entry["chains"])
                if same and instead == box:
                    return None
                new = {name: value for name, value in named.items() if name in entry}
                if instead != box:
                    new |= {"bbox": xywh(instead), "area": instead.area, "segmentation": corners(instead)}
                return [{name: value for name, value in (entry | new).items() if name not in _ANSWERED}]
        return []

    def _left(self, number: int | str, edit: Edit) -> list[tuple[Box, tuple[str, ...]]]:
        return self.left.setdefault(number, [(box.box, box.chains) for box in edit.after.boxes if box.chains])

    def _named(self, image: DatasetImage, names: Iterable[str], order: Iterable[str] = ()) -> dict[str, Any]:
        """Return the fields of a box that follow from its chains, which keep their order."""
        names = list(names)
        names = [*(name for name in order if name in names), *(name for name in names if name not in set(order))]
        types = types_of_chains(image, names)
        kind = types[0] if types else "other"
        category = self.categories.get(kind, next(iter(self.categories.values()), 1))
        return {"category_id": category, "chains": names, "types": types}


_ANSWERED = ("people", "programs")
"""Counts of answers about a thing as it was."""


def _instead(edit: Edit) -> dict[tuple[Box, frozenset[str]], Box]:
    """Return the new place of each box that only moved, by its place and its chains."""
    found = {}
    before, after = ({(box.box, frozenset(box.chains)) for box in image.boxes} for image in (edit.before, edit.after))
    for names in {names for _, names in before}:
        was, now = ([box for box, box_names in sorted(boxes) if box_names == names] for boxes in (before, after))
        there = {box for box, _ in after}
        for box, new in moved(was, now).instead.items():
            if new is not None and box not in there:
                found[box, names] = new
    return found


def _chain(entry: Any, edit: Edit) -> list[Any] | None:
    """Return the row of a chain as it is now; nothing if the chain has gone."""
    was, now = (
        {chain.name: chain for chain in image.chains}.get(entry.get("name")) for image in (edit.before, edit.after)
    )
    if was is None:
        return None
    if now is None:
        return []
    new = {name: value for name, value in _chain_row(edit.after, now).items() if name in entry}
    old = {name: value for name, value in _chain_row(edit.before, was).items() if name in entry}
    if new == old:
        return None
    return [{name: value for name, value in (entry | new).items() if name not in _ANSWERED}]


def _chain_row(image: DatasetImage, chain: DatasetChain) -> dict[str, Any]:
    types = types_of_chains(image, [chain.name])
    return {"name": chain.name, "types": types, "scene": chain.scene, "no_box": chain.no_box}
