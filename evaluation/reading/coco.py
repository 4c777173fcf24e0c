"""Files in the format of COCO: images and categories by their ids; captions and boxes, with the chains of exports."""

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.errors import InputError
from evaluation.reading.picture import NO_BOX, NOT_VISUAL, SCENE, Box, Picture, PictureCaption, PicturePhrase
from evaluation.reading.source import (
    Id,
    coco_id,
    coco_name,
    export_folder,
    json_file,
    listed,
    member,
    number,
    path_of,
    whole,
)

INSTANCES = "instances.json"


class CocoImageEntry(NamedTuple):
    """An entry of the list `images`."""

    where: str
    """The place in the file, such as "instances.json, image 3"."""
    id: str
    name: str
    file_name: str
    entry: Any


@dataclass(frozen=True)
class CocoNames:
    """Names that a COCO file gives to ids."""

    images: dict[str, str] = field(default_factory=dict)
    """The name of each image by its id, and by the name of its file."""
    categories: dict[Id, str] = field(default_factory=dict)


def names_of(path: Path) -> CocoNames:
    """Return what the file, or an export with ids, names; nothing for another export. Raises InputError."""
    if path.suffix.lower() == ".json" and path.is_file():
        return _names(path)
    if path.suffix.lower() == ".jsonl":
        return CocoNames()
    with export_folder(path) as folder:
        found = path_of(folder, INSTANCES)
        return CocoNames() if found is None else _names(found)


def _names(file: Path) -> CocoNames:
    value = json_file(file)
    images = images_of(value, file.name)
    return CocoNames(names_by_id(images), categories_of(value, file.name) if "categories" in value else {})


def names_by_id(images: Iterable[CocoImageEntry]) -> dict[str, str]:
    """Return the name of each image by its id, and by the name of its file; what is both is an id."""
    kept = list(images)
    return {image.file_name: image.name for image in kept} | {image.id: image.name for image in kept}


def images_by_id(value: Any, file: str, advice: str = "") -> dict[str, CocoImageEntry]:
    """Return the images, whose names tell them apart. Raises InputError as `images_of`, and for a doubled name."""
    found = images_of(value, file, advice)
    taken: set[str] = set()
    for image in found:
        if image.name in taken:
            raise _doubled(image)
        taken.add(image.name)
    return {image.id: image for image in found}


def images_of(value: Any, file: str, advice: str = "") -> list[CocoImageEntry]:
    """Return the images of a file's value in their order, which may share a name.

    Raises InputError, which names the file and the place, for an image of another form and for a doubled id.
    `advice` ends the sentence if there is no list.
    """
    found: dict[str, CocoImageEntry] = {}
    for place, entry in enumerate(listed(value, "images", file, advice), start=1):
        where = f"{file}, image {place}"
        own = str(coco_id(member(entry, "id", where), f"{where}: the id"))
        one = CocoImageEntry(where, own, coco_name(entry, where), str(entry["file_name"]), entry)
        if own in found:
            raise _doubled(one)
        found[own] = one
    return list(found.values())


def _doubled(entry: CocoImageEntry) -> InputError:
    return InputError(
        f"{entry.where}: the image {entry.id} ({entry.name}) stands twice: give each its own id and file name."
    )


def categories_of(value: Any, file: str, advice: str = "") -> dict[Id, str]:
    """Return the names of the categories of a file's value by their ids. Raises InputError as `images_of`."""
    found: dict[Id, str] = {}
    for place, entry in enumerate(listed(value, "categories", file, advice), start=1):
        where = f"{file}, category {place}"
        own = coco_id(member(entry, "id", where), f"{where}: the id")
        if own in found:
            raise InputError(f"{where}: the id {own} stands twice: give each category its own.")
        found[own] = str(member(entry, "name", where))
    return found


CAPTIONS = "captions.json"
ADVICE = ": give a file of COCO instances"
Chained = dict[str, dict[str, list[Box]]]
Loose = dict[str, list[tuple[str, Box]]]
Marked = tuple[int, int, str, tuple[str, ...]]
"""A phrase: its first character and the one behind its last, its chain and its types."""


def read_coco(path: Path) -> list[Picture]:
    """Return the pictures by name. Boxes without chains are loose, with their category.

    Raises InputError, which names the file and the place, if a file is missing or of another form. Captions without
    phrases have none.
    """
    with export_folder(path) as folder:
        instances = path_of(folder, INSTANCES) or folder / INSTANCES
        files = instances.with_name(CAPTIONS), instances
        if missing := [file.name for file in files if not file.is_file()]:
            raise InputError(f"{path} has no {missing[0]}: give an export with {CAPTIONS} and {INSTANCES}.")
        return pictures_of(*map(json_file, files))


def read_whole_coco(value: Any) -> list[Picture]:
    """Return the pictures by name of the value of one file, which has captions beside boxes. Raises InputError."""
    return pictures_of(value | {"annotations": value["captions"]}, value)


def pictures_of(captions: Any, instances: Any) -> list[Picture]:
    """Return the pictures by name of the values of both files. Raises InputError as `read_coco`."""
    images = images_by_id(instances, INSTANCES)
    said, boxes, loose = _captions(captions, images), *_boxes(instances, images)
    flags: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for where, entry in _numbered(captions, "chains", CAPTIONS, "chain"):
        chain = str(coco_id(member(entry, "name", where), f"{where}: the name"))
        if own := frozenset(flag for name, flag in (("scene", SCENE), ("no_box", NO_BOX)) if entry.get(name) is True):
            flags[_image(entry, images, where)][chain] = own
    pictures = [
        Picture(
            image_entry.name,
            whole(member(image_entry.entry, "width", image_entry.where), f"{image_entry.where}: the width"),
            whole(member(image_entry.entry, "height", image_entry.where), f"{image_entry.where}: the height"),
            tuple(said[image]),
            dict(boxes[image]),
            tuple(loose[image]),
            flags[image],
        )
        for image, image_entry in images.items()
    ]
    return sorted(pictures, key=lambda one: one.name)


def _image(value: Any, images: Container[str], where: str) -> str:
    image = str(coco_id(member(value, "image_id", where), f"{where}: the field 'image_id'"))
    if image not in images:
        raise InputError(f"{where}: the image {image[:40]} is not among the images.")
    return image


def _captions(value: Any, images: Container[str]) -> dict[str, list[PictureCaption]]:
    found: dict[str, list[PictureCaption]] = defaultdict(list)
    for place, annotation in enumerate(listed(value, "annotations", CAPTIONS), start=1):
        where = f"{CAPTIONS}, caption {place}"
        image = _image(annotation, images, where)
        text = member(annotation, "caption", where)
        if not isinstance(text, str):
            raise InputError(f"{where}: the caption is not text.")
        phrases = [_phrase(entry, text, place) for place, entry in _numbered(annotation, "phrases", where, "phrase")]
        phrases += [
            (*_span(spans, text, place), NOT_VISUAL, ("notvisual",))
            for place, spans in _numbered(annotation, "not_visual", where, "not_visual")
        ]
        found[image].append(_caption(text, sorted(phrases), len(found[image])))
    return found


def _numbered(value: Any, name: str, where: str, singular: str) -> list[tuple[str, Any]]:
    """Return the entries of a list that may be left out, each with its place."""
    found = listed(value, name, where) if name in value else []
    return [(f"{where}, {singular} {place}", entry) for place, entry in enumerate(found, start=1)]


def _phrase(entry: Any, text: str, where: str) -> Marked:
    begin, end = _span(member(entry, "tokens_positive", where), text, f"{where}: the field 'tokens_positive'")
    chain = str(coco_id(member(entry, "chain", where), f"{where}: the field 'chain'"))
    types = listed(entry, "types", where) if "types" in entry else []
    return begin, end, chain, tuple(str(coco_id(kind, f"{where}: a type")).replace(" ", "") for kind in types)


def _span(value: Any, text: str, what: str) -> tuple[int, int]:
    pair = value[0] if isinstance(value, list) and len(value) == 1 else None
    if not isinstance(pair, list) or len(pair) != 2:
        raise InputError(f"{what} is {str(value)[:40]!r}, not one pair [[from, to]] of characters.")
    begin, end = (whole(edge, f"{what}: an edge") for edge in pair)
    if not text[begin:end].strip():
        raise InputError(f"{what}: no word of the caption is from character {begin} to {end}.")
    return begin, end


def _caption(text: str, phrases: list[Marked], caption: int) -> PictureCaption:
    return PictureCaption(
        tuple(text.split()),
        tuple(
            PicturePhrase(caption, i, len(text[:begin].split()), tuple(text[begin:end].split()), chain, types)
            for i, (begin, end, chain, types) in enumerate(phrases)
        ),
    )


def _boxes(value: Any, images: Container[str]) -> tuple[Chained, Loose]:
    names = categories_of(value, INSTANCES) if "categories" in value else {}
    boxes: Chained = defaultdict(lambda: defaultdict(list))
    loose: Loose = defaultdict(list)
    for place, annotation in enumerate(listed(value, "annotations", INSTANCES), start=1):
        where = f"{INSTANCES}, box {place}"
        image = _image(annotation, images, where)
        bbox = member(annotation, "bbox", where)
        if not isinstance(bbox, list) or len(bbox) != 4:
            raise InputError(f"{where}: the field 'bbox' is not a list of 4 numbers.")
        x, y, width, height = (number(edge, f"{where}: the box") for edge in bbox)
        box = (x, y, x + width, y + height)
        chains = listed(annotation, "chains", where) if "chains" in annotation else []
        for chain in chains:
            boxes[image][str(coco_id(chain, f"{where}: a chain"))].append(box)
        kind = "thing"
        if "category_id" in annotation:
            kind = names.get(coco_id(annotation["category_id"], f"{where}: the field 'category_id'"), kind)
        if not chains:
            loose[image].append((kind, box))
    return boxes, loose


def read_instances(path: Path) -> dict[str, set[str]]:
    """Return the names of the categories of each image's boxes, by the image's name without ending.

    Raises InputError, which names the file and the entry.
    """
    value = json_file(path)
    categories = categories_of(value, path.name, ADVICE)
    images = images_by_id(value, path.name, ADVICE)
    found: dict[str, set[str]] = {image.name: set() for image in images.values()}
    for place, annotation in enumerate(listed(value, "annotations", path.name, ADVICE), start=1):
        where = f"{path.name}, box {place}"
        image = _image(annotation, images, where)
        category = coco_id(member(annotation, "category_id", where), f"{where}: the field 'category_id'")
        if category not in categories:
            raise InputError(f"{where}: the category {str(category)[:40]} is not among the categories of the file.")
        found[images[image].name].add(categories[category])
    return found
