"""RefCOCO, RefCOCO+ and RefCOCOg: refs*.json or refs*.p, and the objects of COCO's instances*.json."""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.bounds import JSON_BYTES, PICKLE_BYTES
from annotation.rules.box import Box
from exchange.checks import (
    Defect,
    as_id,
    as_list,
    as_text,
    decode,
    member,
    parse_json,
    read_bytes,
    same_id,
    source_error,
)
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.formats.coco.read import CocoEntry, Id, Tables, category_of, instance_files, read_instances
from exchange.formats.coco.write import corners
from exchange.formats.edits import Edit, EditStore, key_of_id, phrases_of
from exchange.formats.format import Corrector, Format, count_matches
from exchange.formats.phrases import xywh
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.plain_pickle import read_pickle
from exchange.formats.spans import SourceImage, SourceImages, dataset_images, whole_phrase
from exchange.formats.text_streams import edit_json, entries_of, id_in
from exchange.formats.visual_genome import one_box
from exchange.names import same_path

_SHOWN = 3


def refs_files(path: Path) -> list[Path]:
    """Return the files of refs in the folder, by name: as JSON, or as the pickles that are published."""
    return [file for file in sorted(path.glob("refs*")) if file.suffix in (".json", ".p") and file.is_file()]


def read_refs(path: Path) -> tuple[str, list[Any]]:
    """Return the name of the folder's file of refs, and its rows. Raises SourceError unless there is one to be read."""
    files = refs_files(path)
    if len(files) != 1:
        names = f" ({', '.join(file.name for file in files[:_SHOWN])})" if files else ""
        raise source_error(path, f"has {len(files)} files refs*.json or refs*.p{names}: it needs one")
    try:
        if files[0].suffix == ".p":
            rows = read_pickle(read_bytes(files[0], most=PICKLE_BYTES))
        else:
            rows = parse_json(decode(read_bytes(files[0], most=JSON_BYTES)))
        return files[0].name, as_list(rows, "the file")
    except Defect as defect:
        raise source_error(files[0].name, defect.message, defect.line) from defect


def read_refcoco(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images that refs name, in the order of their names, with sentences in the order of the refs.

    Each sentence (`sent`) is a caption, and a phrase from its first word to its last. The refs of one annotation are a
    chain with its box; the annotation's category gives the types. Boxes of no ref keep their category. Raises
    SourceError for a folder that lacks one of the files, or has several of refs, and for a file of another kind.
    """
    shown, rows = read_refs(path)
    if not instance_files(path):
        raise source_error(path, "has no instances*.json, neither in it nor in annotations/, for the boxes of the refs")
    tables = read_instances(path)
    yield from tables.problems
    yield from tables.repeated
    refs = _Refs(SourceImages(shown, pictures or FolderPictures(path), form), tables)
    yield from refs.source_images.add_rows(rows, "refs", "", refs.add)
    yield from refs.usable()
    yield from dataset_images(refs.with_boxes(), refs.source_images.pictures, shown)


@dataclass(slots=True)
class _Refs:
    """The images of refs, by id."""

    source_images: SourceImages
    tables: Tables
    images: dict[Id, SourceImage] = field(default_factory=dict)
    named: set[Id] = field(default_factory=set)
    """Annotations that refs are about."""
    annotations: dict[Id, tuple[Id, CocoEntry]] = field(init=False)
    """The image and the row of each annotation by its id."""
    places: dict[Id, str] = field(default_factory=dict)
    """The place of each ref by its id."""

    def __post_init__(self) -> None:
        self.annotations = {}
        for image, rows in self.tables.boxes.items():
            self.annotations |= {number: (image, row) for row in rows if (number := annotation_id(row)) is not None}

    def add(self, row: Any, where: str) -> None:
        """Add the sentences of a ref to its image. Raises Defect for a ref of no image."""
        image = self._image_of(row, where)
        said = self.images[image]
        if not said.bad:
            with said.details.left_out("the ref"):
                self._add(row, image, where)

    def _image_of(self, row: Any, where: str) -> Id:
        """Return the id of the ref's image, by that of its annotation if need be. Raises Defect without an image."""
        try:
            image = same_id(as_id(member(row, "image_id", where), f"{where}.image_id"))
            if image not in self.tables.images:
                raise Defect(f"{where}.image_id {image!r} is in no list of images")
        except Defect as defect:
            about = row.get("ann_id") if isinstance(row, dict) else None
            found = self.annotations.get(same_id(about)) if isinstance(about, int | str) else None
            if found is None or found[0] not in self.tables.images:
                raise
            self._image(found[0], where).details.add(f"{defect.message}: the image of its ann_id is taken")
            return found[0]
        self._image(image, where)
        return image

    def _image(self, image: Id, where: str) -> SourceImage:
        """Return the image, with what is wrong with it in itself. `where`: the first ref that names it."""
        if image in self.images:
            return self.images[image]
        row, *others = self.tables.images[image]
        number = as_id(row.value["id"], row.where)
        try:
            path = as_text(member(row.value, "file_name", row.where), f"{row.where}.file_name")
            if others:
                raise Defect(f"{row.where}: the image id {image!r} occurs again in {others[0].where}")
            said, _ = self.source_images.of_row(row.value, path, row.where, key=str(image))
            said.where = where
        except Defect as defect:
            path = row.value.get("file_name") if isinstance(row.value.get("file_name"), str) else str(image)
            bad = [Defect(f"{row.file} {defect.message}")]
            said = SourceImage(path, 0, 0, self.source_images.shown, where, bad=bad)
        said.coco_id = number
        self.images[image] = said
        return said

    def _add(self, row: Any, image: Id, where: str) -> None:
        said = self.images[image]
        number = same_id(as_id(member(row, "ref_id", where), f"{where}.ref_id"))
        if number in self.places:
            raise Defect(f"{where}.ref_id {number!r} is that of {self.places[number]}, too")
        self.places[number] = where
        about = same_id(as_id(member(row, "ann_id", where), f"{where}.ann_id"))
        if about not in self.annotations:
            raise Defect(f"{where}.ann_id {about!r} is in no list of annotations")
        if about in self.tables.twice:
            raise Defect(f"{where}.ann_id: the annotation id {about!r} occurs twice")
        owner, annotation = self.annotations[about]
        if owner != image:
            raise Defect(f"{where}.ann_id {about!r} is of the image {owner!r}, and image_id is {image!r}")
        self.named.add(about)
        place = f"{annotation.file} {annotation.where}"
        box = said.box(member(annotation.value, "bbox", place), f"{place}.bbox")
        category = ""
        with said.details.left_out("the category"):
            category = category_of(self.tables, annotation)
        sentences = as_list(member(row, "sentences", where), f"{where}.sentences")
        if not sentences:
            raise Defect(f"{where}.sentences is empty")
        if not said.has_room(len(sentences)):
            return
        for at, sentence in enumerate(sentences):
            with said.details.left_out("the sentence"):
                own = f"{where}.sentences[{at}]"
                text = member(sentence, "sent", own)
                said.captions.append(whole_phrase(text, f"{own}.sent", [box], str(about), category))

    def usable(self) -> Iterator[Problem]:
        """Drop images whose path is that of another, and yield a problem for each."""
        by_path: dict[str, list[Id]] = {}
        for image, said in self.images.items():
            by_path.setdefault(same_path(said.path), []).append(image)
        for same in by_path.values():
            for image in same if len(same) > 1 else ():
                said = self.images.pop(image)
                message = f"{said.where}: the file_name {said.path!r} of image {image!r} is that of another image, too"
                yield Problem(said.file, None, said.path, message, key=f"{said.file}:{said.where}")

    def with_boxes(self) -> Iterator[SourceImage]:
        """Yield the images with the boxes that no ref is about."""
        for image, said in self.images.items():
            for row in self.tables.boxes.get(image, ()) if not said.bad else ():
                if annotation_id(row) not in self.named:
                    with said.details.left_out("the box"):
                        where = f"{row.file} {row.where}"
                        category = category_of(self.tables, row)
                        said.loose.append((said.box(member(row.value, "bbox", where), f"{where}.bbox"), category))
            yield said


def is_read(sentence: Any) -> bool:
    """Tell whether a sentence of a ref becomes a caption."""
    try:
        whole_phrase(member(sentence, "sent", ""), "", ())
    except Defect:
        return False
    return True


def annotation_id(row: CocoEntry) -> Id | None:
    """Return the id of an annotation; None without one: no ref can be about it."""
    try:
        return same_id(as_id(row.value.get("id"), row.where))
    except Defect:
        return None


def splits_of_refs(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return the part of each image by its path, and the paths of images whose refs are in several parts.

    Raises SourceError as `read_refcoco` does, and for a ref without an image or a part.
    """
    shown, rows = read_refs(path)
    images = read_instances(path).images
    parts: dict[str, set[str]] = {}
    for place, row in enumerate(rows):
        where = f"refs[{place}]"
        try:
            image = same_id(as_id(member(row, "image_id", where), f"{where}.image_id"))
            if image not in images:
                raise Defect(f"{where}.image_id {image!r} is in no list of images")
            file = images[image][0]
            name = as_text(member(file.value, "file_name", file.where), f"{file.where}.file_name")
            parts.setdefault(name, set()).add(as_text(member(row, "split", where), f"{where}.split"))
        except Defect as defect:
            raise source_error(shown, defect.message) from defect
    several = [name for name, part in parts.items() if len(part) > 1]
    return {name: min(part) for name, part in parts.items() if len(part) == 1}, several


_PROTOCOL = 2
"""Of pickles, as the data set's authors publish them: every reader of Python has it."""


def patch_refcoco(source: Path, target: Path, edits: EditStore) -> None:
    """Write refs and annotations into `target`. A ref whose sentences are all about one thing keeps its id."""
    annotations = _Annotations(edits)
    for file in instance_files(source):
        for key, entry in entries_of(file):
            annotations.look_at(key, entry)
    _, rows = read_refs(source)
    refs = _RefEdits(edits, annotations, rows)
    file = refs_files(source)[0]
    if file.suffix == ".p":
        new = [edited for row in rows for edited in (refs.edited("", row) or [row])]
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
        if chain in self.rows and any(chain_before.name == chain for chain_before in edit.before.chains):
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


class _RefEdits:
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
        if not before or all(phrase.chain != own for phrase in before[0].values()):
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


REFCOCO = Format(
    name="refcoco",
    title="RefCOCO, RefCOCO+ and RefCOCOg",
    marks="refs*.json or refs*.p",
    detects=lambda path: bool(refs_files(path)),
    read=read_refcoco,
    either_unit=True,
    count=lambda path: count_matches(instance_files(path), rb'"file_name"\s*:'),
    correct=Corrector(key_of_id, patch_refcoco),
)
