"""Corrections of RefCOCO, RefCOCO+ and RefCOCOg: refs about another annotation, and boxes of annotations that moved."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.checks import same_id
from exchange.dataset import DatasetImage
from exchange.formats.coco.tables import instance_files
from exchange.formats.coco.write import corners
from exchange.formats.edits import Edit, EditStore
from exchange.formats.json_edits import edit_json, entries_of, id_in
from exchange.formats.phrase_edits import phrases_of
from exchange.formats.phrases import xywh
from exchange.formats.refcoco.read import is_read, read_refs, refs_files
from exchange.formats.visual_genome.correct import one_box

_PROTOCOL = 2
"""Of pickles, as the data set's authors publish them: every reader of Python has it."""


def patch_refcoco(source: Path, target: Path, edits: EditStore) -> None:
    """Write refs and annotations into `target`. A ref whose sentences are all about one thing keeps its id."""
    annotations = _Annotations(edits)
    for file in instance_files(source):
        for key, entry in entries_of(file):
            annotations.look_at(key, entry)
    _, rows = read_refs(source)
    refs = _Refs(edits, annotations, rows)
    file = refs_files(source)[0]
    if file.suffix == ".p":
        new = [one for row in rows for one in (refs.edited("", row) or [row])]
        if new != rows:
            (target / file.name).write_bytes(pickle.dumps(new, _PROTOCOL))
    else:
        edit_json(file, target / file.name, refs.edited)
    for file in instance_files(source):
        annotations.images = {id_in(entry, "id") for key, entry in entries_of(file) if key == "images"}
        edit_json(file, target / file.relative_to(source), annotations.edited, annotations.added)


class _Annotations:
    """The annotations of the images that change, by the name of the chain that is about them."""

    def __init__(self, edits: EditStore) -> None:
        self.edits = edits
        self.rows: dict[str, Any] = {}
        self.images: set[Any] = set()
        """Those of the file that is written."""
        self.next = 0
        self.new: dict[str, tuple[int, int | str]] = {}
        """The ids of new annotations, and their images, by the names of their chains."""

    def look_at(self, key: str, entry: Any) -> None:
        """Note the largest id, and the annotations of images that change."""
        if key == "annotations" and isinstance(entry, dict):
            number = entry.get("id")
            self.next = max(self.next, number if isinstance(number, int) else 0)
            if id_in(entry, "image_id") in self.edits:
                self.rows[str(number)] = entry

    def about(self, chain: str, edit: Edit) -> tuple[Any, Any]:
        """Return the id and the category of the annotation of a chain, which is made if there is none."""
        if chain in self.rows and any(one.name == chain for one in edit.before.chains):
            return self.rows[chain]["id"], self.rows[chain].get("category_id")
        if chain not in self.new:
            self.next += 1
            assert edit.before.coco_id is not None
            self.new[chain] = self.next, same_id(edit.before.coco_id)
        return self.new[chain][0], self._model(chain, edit).get("category_id")

    def edited(self, key: str, entry: Any) -> list[Any] | None:
        """Return the annotation with its box of now. One that no chain is about any more stays."""
        edit = self.edits.get(id_in(entry, "image_id")) if key == "annotations" else None
        if edit is None:
            return None
        before, after = (_boxes(image, str(entry.get("id"))) for image in (edit.before, edit.after))
        box = one_box(before, after)
        if box is None or box in before or not before:
            return None
        new = {"bbox": xywh(box), "area": box.area, "segmentation": corners(box)}
        return [entry | {name: value for name, value in new.items() if name in entry}]

    def added(self, key: str) -> Iterator[Any]:
        """Yield the annotations of new chains in this file."""
        for chain, (number, image) in self.new.items() if key == "annotations" else ():
            edit = self.edits.get(image)
            if edit is not None and image in self.images:
                box = _boxes(edit.after, chain)[0]
                own = {"id": number, "bbox": xywh(box), "area": box.area, "iscrowd": 0, "segmentation": corners(box)}
                model = self._model(chain, edit)
                yield model | {name: value for name, value in own.items() if name in {*model, "id", "bbox"}}

    def _model(self, chain: str, edit: Edit) -> Any:
        """Return the annotation that the phrases of a new chain were about."""
        places = [(mention.caption, mention.start) for mention in edit.after.mentions if mention.chain == chain]
        was = next(
            (mention.chain for mention in edit.before.mentions if (mention.caption, mention.start) in places), None
        )
        return self.rows[str(was)]


class _Refs:
    """The refs of the images that change."""

    def __init__(self, edits: EditStore, annotations: _Annotations, rows: list[Any]) -> None:
        self.edits, self.annotations = edits, annotations
        numbers = (row.get("ref_id") for row in rows if isinstance(row, dict))
        self.next = max((number for number in numbers if isinstance(number, int)), default=0)
        self.captions: dict[Any, int] = {}

    def edited(self, key: str, row: Any) -> list[Any] | None:
        """Return the refs in the place of one: its sentences by what they are about now. None: it stays."""
        edit = self.edits.get(id_in(row, "image_id"))
        if edit is None:
            return None
        own, image = str(id_in(row, "ann_id")), id_in(row, "image_id")
        first = self.captions.get(image, 0)
        sentences = row.get("sentences")
        read = [sentence for sentence in sentences if is_read(sentence)] if isinstance(sentences, list) else []
        before = phrases_of(edit.before)[first : first + 1] if read else []
        if not before or all(one.chain != own for one in before[0].values()):
            return None  # the import left the ref out
        self.captions[image] = first + len(read)
        said = phrases_of(edit.after)[first : self.captions[image]]
        by_chain: dict[str, list[Any]] = {}
        for sentence, phrases in zip(read, said, strict=True):
            for phrase in phrases.values():
                if phrase.boxes:
                    by_chain.setdefault(phrase.chain, []).append(sentence)
        if list(by_chain) == [own] and len(by_chain[own]) == len(read):
            return None
        found: list[Any] = []
        for chain, sentences in sorted(by_chain.items(), key=lambda one: one[0] != own):
            about, category = self.annotations.about(chain, edit)
            new = {"ann_id": about, "category_id": category} if chain != own else {}
            new |= {"sentences": sentences, "sent_ids": [sentence.get("sent_id") for sentence in sentences]}
            if found:
                self.next += 1
                new["ref_id"] = self.next
            found.append(row | {name: value for name, value in new.items() if name in row})
        return found


def _boxes(image: DatasetImage, chain: str) -> tuple[Box, ...]:
    return tuple(sorted({box.box for box in image.boxes if chain in box.chains}))
