"""Exports and files in the format of COCO: captions.json and instances.json, with the phrases and chains of exports."""

from collections import defaultdict
from collections.abc import Container
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.reading.coco_names import INSTANCES, categories_of, images_by_id
from evaluation.reading.json_lines import coco_id, json_file, listed, member, number, parse, whole
from evaluation.reading.picture import NO_BOX, NOT_VISUAL, SCENE, Box, Caption, Phrase, Picture
from evaluation.reading.source import Source, folder_of

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
    source = Source(path)
    top = folder_of(source.names(), INSTANCES)
    top = "" if top is None else top.removesuffix(f"{INSTANCES}/")
    found = {name: f"{top}{name}" for name in (CAPTIONS, INSTANCES)}
    if missing := [name for name in found.values() if name not in source.names()]:
        raise InputError(f"{path} has no {missing[0]}: give an export with {CAPTIONS} and {INSTANCES}.")
    return pictures_of(*(parse(source.text(name), name) for name in found.values()))


def read_whole_coco(value: Any) -> list[Picture]:
    """Return the pictures by name of the value of one file, which has captions beside boxes. Raises InputError."""
    return pictures_of(value | {"annotations": value["captions"]}, value)


def pictures_of(captions: Any, instances: Any) -> list[Picture]:
    """Return the pictures by name of the values of both files. Raises InputError as `read_coco`."""
    images = images_by_id(instances, INSTANCES)
    said, boxes, loose = _captions(captions, images), *_boxes(instances, images)
    flags = _flags(captions, images)
    pictures = [
        Picture(
            one.name,
            whole(member(one.entry, "width", one.where), f"{one.where}: the width"),
            whole(member(one.entry, "height", one.where), f"{one.where}: the height"),
            tuple(said[image]),
            dict(boxes[image]),
            tuple(loose[image]),
            flags[image],
        )
        for image, one in images.items()
    ]
    return sorted(pictures, key=lambda one: one.name)


def _image(value: Any, images: Container[str], where: str) -> str:
    image = str(coco_id(member(value, "image_id", where), f"{where}: the field 'image_id'"))
    if image not in images:
        raise InputError(f"{where}: the image {image[:40]} is not among the images.")
    return image


def _captions(value: Any, images: Container[str]) -> dict[str, list[Caption]]:
    found: dict[str, list[Caption]] = defaultdict(list)
    for place, one in enumerate(listed(value, "annotations", CAPTIONS), start=1):
        where = f"{CAPTIONS}, caption {place}"
        image = _image(one, images, where)
        text = member(one, "caption", where)
        if not isinstance(text, str):
            raise InputError(f"{where}: the caption is not text.")
        phrases = [_phrase(entry, text, own) for own, entry in _numbered(one, "phrases", where, "phrase")]
        phrases += [
            (*_span(spans, text, own), NOT_VISUAL, ("notvisual",))
            for own, spans in _numbered(one, "not_visual", where, "not_visual")
        ]
        found[image].append(_caption(text, sorted(phrases), len(found[image])))
    return found


def _flags(value: Any, images: Container[str]) -> dict[str, dict[str, frozenset[str]]]:
    """Return the flags of each image's chains, as exports have them in a list `chains`."""
    found: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for where, one in _numbered(value, "chains", CAPTIONS, "chain"):
        chain = str(coco_id(member(one, "name", where), f"{where}: the name"))
        if own := frozenset(flag for name, flag in (("scene", SCENE), ("no_box", NO_BOX)) if one.get(name) is True):
            found[_image(one, images, where)][chain] = own
    return found


def _numbered(value: Any, name: str, where: str, one: str) -> list[tuple[str, Any]]:
    """Return the entries of a list that may be left out, each with its place."""
    found = listed(value, name, where) if name in value else []
    return [(f"{where}, {one} {place}", entry) for place, entry in enumerate(found, start=1)]


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


def _caption(text: str, phrases: list[Marked], caption: int) -> Caption:
    return Caption(
        tuple(text.split()),
        tuple(
            Phrase(caption, i, len(text[:begin].split()), tuple(text[begin:end].split()), chain, types)
            for i, (begin, end, chain, types) in enumerate(phrases)
        ),
    )


def _boxes(value: Any, images: Container[str]) -> tuple[Chained, Loose]:
    names = categories_of(value, INSTANCES) if "categories" in value else {}
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
        chains = listed(one, "chains", where) if "chains" in one else []
        for chain in chains:
            boxes[image][str(coco_id(chain, f"{where}: a chain"))].append(box)
        kind = "thing"
        if "category_id" in one:
            kind = names.get(coco_id(one["category_id"], f"{where}: the field 'category_id'"), kind)
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
    for place, one in enumerate(listed(value, "annotations", path.name, ADVICE), start=1):
        where = f"{path.name}, box {place}"
        image = _image(one, images, where)
        category = coco_id(member(one, "category_id", where), f"{where}: the field 'category_id'")
        if category not in categories:
            raise InputError(f"{where}: the category {str(category)[:40]} is not among the categories of the file.")
        found[images[image].name].add(categories[category])
    return found
