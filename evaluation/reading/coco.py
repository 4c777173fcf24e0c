"""Exports and files in the format of COCO: captions.json and instances.json, with the phrases and chains of exports."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.reading.json_lines import coco_id, coco_name, json_file, listed, member, number, parse, whole
from evaluation.reading.picture import Box, Caption, Phrase, Picture
from evaluation.reading.source import Source, folder_of

Id = int | str
CAPTIONS, INSTANCES = "captions.json", "instances.json"
Chained = dict[Id, dict[str, list[Box]]]
Loose = dict[Id, list[tuple[str, Box]]]


def read_coco(path: Path) -> list[Picture]:
    """Return the pictures by name. Boxes without chains are loose, with their category.

    Raises InputError if a file is missing or of another form. Captions without phrases have none.
    """
    source = Source(path)
    top = folder_of(source.names(), INSTANCES)
    top = "" if top is None else top.removesuffix(f"{INSTANCES}/")
    found = {name: f"{top}{name}" for name in (CAPTIONS, INSTANCES)}
    if missing := [name for name in found.values() if name not in source.names()]:
        raise InputError(f"{path} has no {missing[0]}: give an export with {CAPTIONS} and {INSTANCES}.")
    captions, instances = (parse(source.text(name), name) for name in found.values())
    images = {
        coco_id(member(one, "id", INSTANCES), f"{INSTANCES}: an id"): one
        for one in listed(instances, "images", INSTANCES)
    }
    said, boxes, loose = _captions(captions, images), *_boxes(instances, images)
    pictures = [
        Picture(
            coco_name(one, INSTANCES),
            whole(member(one, "width", INSTANCES), f"{INSTANCES}: a width"),
            whole(member(one, "height", INSTANCES), f"{INSTANCES}: a height"),
            tuple(said[image]),
            dict(boxes[image]),
            tuple(loose[image]),
        )
        for image, one in images.items()
    ]
    return sorted(pictures, key=lambda one: one.name)


@dataclass(frozen=True)
class Names:
    """Names that a COCO file gives to ids."""

    images: dict[str, str] = field(default_factory=dict)
    """The name of each image by its id, and by the name of its file."""
    categories: dict[int, str] = field(default_factory=dict)


def names_of(path: Path) -> Names:
    """Return what the file, or an export with ids, names; nothing for another export. Raises InputError."""
    if path.suffix.lower() == ".json" and path.is_file():
        name, value = path.name, json_file(path)
    else:
        source = Source(path)
        top = folder_of(source.names(), INSTANCES)
        if top is None:
            return Names()
        name = f"{top}{INSTANCES}"
        value = parse(source.text(name), name)
    images = {}
    for one in listed(value, "images", name):
        own = coco_name(one, name)
        images[str(one["file_name"])] = images[str(coco_id(member(one, "id", name), name))] = own
    kinds = value.get("categories", [])
    return Names(images, {member(one, "id", name): str(member(one, "name", name)) for one in kinds})


def _image(value: Any, images: dict[Id, Any], where: str) -> Id:
    image = coco_id(member(value, "image_id", where), f"{where}: the field 'image_id'")
    if image not in images:
        raise InputError(f"{where}: image {image} is not among the images.")
    return image


def _captions(value: Any, images: dict[Id, Any]) -> dict[Id, list[Caption]]:
    found: dict[Id, list[Caption]] = defaultdict(list)
    for place, one in enumerate(listed(value, "annotations", CAPTIONS), start=1):
        where = f"{CAPTIONS}, caption {place}"
        image = _image(one, images, where)
        text = str(member(one, "caption", where))
        phrases = []
        for entry in one.get("phrases", []):
            span = member(entry, "tokens_positive", where)[0]
            chain = str(member(entry, "chain", where))
            types = tuple(str(kind).replace(" ", "") for kind in entry.get("types", ()))
            phrases.append((span[0], span[1], chain, types))
        phrases += [(spans[0][0], spans[0][1], "0", ("notvisual",)) for spans in one.get("not_visual", [])]
        found[image].append(_caption(text, sorted(phrases), len(found[image])))
    return found


def _caption(text: str, phrases: list[tuple[int, int, str, tuple[str, ...]]], caption: int) -> Caption:
    return Caption(
        tuple(text.split()),
        tuple(
            Phrase(caption, i, len(text[:begin].split()), tuple(text[begin:end].split()), chain, types)
            for i, (begin, end, chain, types) in enumerate(phrases)
        ),
    )


def _boxes(value: Any, images: dict[Id, Any]) -> tuple[Chained, Loose]:
    names = {member(one, "id", INSTANCES): str(member(one, "name", INSTANCES)) for one in value.get("categories", [])}
    boxes: Chained = defaultdict(lambda: defaultdict(list))
    loose: Loose = defaultdict(list)
    for place, one in enumerate(listed(value, "annotations", INSTANCES), start=1):
        where = f"{INSTANCES}, box {place}"
        image = _image(one, images, where)
        bbox = member(one, "bbox", where)
        if not isinstance(bbox, list) or len(bbox) != 4:
            raise InputError(f"{where}: the field 'bbox' is not a list of 4 numbers.")
        x, y, width, height = (number(edge, f"{where}: the box") for edge in bbox)
        box = (x, y, x + width, y + height)
        for chain in one.get("chains", []):
            boxes[image][str(chain)].append(box)
        if not one.get("chains"):
            loose[image].append((names.get(one.get("category_id"), "thing"), box))
    return boxes, loose


def read_instances(path: Path) -> dict[str, set[str]]:
    """Return the names of the categories of each image's boxes, by the image's name without ending.

    Raises InputError, which names the file and the entry.
    """
    value = json_file(path)
    categories = {
        coco_id(member(one, "id", where), f"{where}: the id"): str(member(one, "name", where))
        for where, one in _entries(value, "categories", path.name)
    }
    names = {
        coco_id(member(one, "id", where), f"{where}: the id"): coco_name(one, where)
        for where, one in _entries(value, "images", path.name)
    }
    found: dict[str, set[str]] = {name: set() for name in names.values()}
    for where, one in _entries(value, "annotations", path.name):
        image, category = (
            coco_id(member(one, key, where), f"{where}: the field {key!r}") for key in ("image_id", "category_id")
        )
        if image not in names:
            raise InputError(f"{where}: the image {str(image)[:40]} is not among the images of the file.")
        if category not in categories:
            raise InputError(f"{where}: the category {str(category)[:40]} is not among the categories of the file.")
        found[names[image]].add(categories[category])
    return found


def _entries(value: Any, name: str, file: str) -> list[tuple[str, Any]]:
    found = listed(value, name, file, ": give a file of COCO instances")
    return [(f"{file}, {name}, entry {place}", one) for place, one in enumerate(found, start=1)]
