"""The reader for RefCOCO, RefCOCO+ and RefCOCOg: refs*.json or refs*.p, and COCO's instances*.json."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.bounds import JSON_BYTES, PICKLE_BYTES
from exchange.checks import as_id, as_list, as_text, member, parse_json, same_id
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.formats.coco.read import category_of
from exchange.formats.coco.tables import Id, Row, Tables, instance_files, read_instances
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.formats.refcoco.plain_pickle import read_pickle
from exchange.formats.spans import SaidImage, SaidImages, dataset_images, unnamed
from exchange.formats.whole_phrase import whole_phrase
from exchange.names import same_path
from exchange.problems import BadRows, Defect, source_error
from exchange.read_text import decode, read_bytes

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
    path: Path, pictures: Pictures | None = None, form: BoxForm | None = None
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
    refs = _Refs(SaidImages(shown, pictures or FolderPictures(path), form), tables)
    bad = BadRows[Problem]()
    for place, row in enumerate(rows):
        for problem in refs.add(row, f"refs[{place}]"):
            bad.append(problem)
            yield problem
    yield from refs.usable()
    yield from dataset_images(refs.with_boxes(), refs.said.pictures, shown)


@dataclass(slots=True)
class _Refs:
    """The images of refs, by id."""

    said: SaidImages
    tables: Tables
    images: dict[Id, SaidImage] = field(default_factory=dict)
    named: set[Id] = field(default_factory=set)
    """Annotations that refs are about."""
    annotations: dict[Id, tuple[Id, Row]] = field(init=False)
    """The image and the row of each annotation by its id."""
    places: dict[Id, str] = field(default_factory=dict)
    """The place of each ref by its id."""

    def __post_init__(self) -> None:
        self.annotations = {}
        for image, rows in self.tables.boxes.items():
            self.annotations |= {number: (image, row) for row in rows if (number := number_of(row)) is not None}

    def add(self, row: Any, where: str) -> Iterator[Problem]:
        """Add the sentences of a ref to its image. Yields a problem for a ref of no image."""
        try:
            image = self._image_of(row, where)
        except Defect as defect:
            yield unnamed(defect, self.said.shown, where)
            return
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
            self._said(found[0], where).details.add(f"{defect.message}: the image of its ann_id is taken")
            return found[0]
        self._said(image, where)
        return image

    def _said(self, image: Id, where: str) -> SaidImage:
        """Return the image, with what is wrong with it in itself. `where`: the first ref that names it."""
        if image in self.images:
            return self.images[image]
        row, *others = self.tables.images[image]
        number = as_id(row.value["id"], row.where)
        try:
            path = as_text(member(row.value, "file_name", row.where), f"{row.where}.file_name")
            if others:
                raise Defect(f"{row.where}: the image id {image!r} occurs again in {others[0].where}")
            said, _ = self.said.of_row(row.value, path, row.where, key=str(image))
            said.where = where
        except Defect as defect:
            path = row.value.get("file_name") if isinstance(row.value.get("file_name"), str) else str(image)
            bad = [Defect(f"{row.file} {defect.message}")]
            said = SaidImage(path, 0, 0, self.said.shown, where, bad=bad)
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

    def with_boxes(self) -> Iterator[SaidImage]:
        """Yield the images with the boxes that no ref is about."""
        for image, said in self.images.items():
            for row in self.tables.boxes.get(image, ()) if not said.bad else ():
                if number_of(row) not in self.named:
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


def number_of(row: Row) -> Id | None:
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
