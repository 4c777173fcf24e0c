"""Images and categories of COCO's files by their ids, each id once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.errors import InputError
from evaluation.reading.json_lines import Id, coco_id, coco_name, json_file, listed, member, parse
from evaluation.reading.source import Source, folder_of

INSTANCES = "instances.json"


class CocoImage(NamedTuple):
    """An entry of the list `images`."""

    where: str
    """The place in the file, such as "instances.json, image 3"."""
    id: str
    name: str
    file_name: str
    entry: Any


@dataclass(frozen=True)
class Names:
    """Names that a COCO file gives to ids."""

    images: dict[str, str] = field(default_factory=dict)
    """The name of each image by its id, and by the name of its file."""
    categories: dict[Id, str] = field(default_factory=dict)


def names_of(path: Path) -> Names:
    """Return what the file, or an export with ids, names; nothing for another export. Raises InputError."""
    if path.suffix.lower() == ".json" and path.is_file():
        name, value = path.name, json_file(path)
    elif path.suffix.lower() == ".jsonl":
        return Names()
    else:
        source = Source(path)
        top = folder_of(source.names(), INSTANCES)
        if top is None:
            return Names()
        name = f"{top}{INSTANCES}"
        value = parse(source.text(name), name)
    images = images_of(value, name)
    return Names(names_told(images), categories_of(value, name) if "categories" in value else {})


def names_told(images: Iterable[CocoImage]) -> dict[str, str]:
    """Return the name of each image by its id, and by the name of its file; what is both is an id."""
    kept = list(images)
    return {one.file_name: one.name for one in kept} | {one.id: one.name for one in kept}


def images_by_id(value: Any, file: str, advice: str = "") -> dict[str, CocoImage]:
    """Return the images, whose names tell them apart. Raises InputError as `images_of`, and for a doubled name."""
    found = images_of(value, file, advice)
    taken: set[str] = set()
    for one in found:
        if one.name in taken:
            raise _doubled(one)
        taken.add(one.name)
    return {one.id: one for one in found}


def images_of(value: Any, file: str, advice: str = "") -> list[CocoImage]:
    """Return the images of a file's value in their order, which may share a name.

    Raises InputError, which names the file and the place, for an image of another form and for a doubled id.
    `advice` ends the sentence if there is no list.
    """
    found: dict[str, CocoImage] = {}
    for place, entry in enumerate(listed(value, "images", file, advice), start=1):
        where = f"{file}, image {place}"
        own = str(coco_id(member(entry, "id", where), f"{where}: the id"))
        one = CocoImage(where, own, coco_name(entry, where), str(entry["file_name"]), entry)
        if own in found:
            raise _doubled(one)
        found[own] = one
    return list(found.values())


def _doubled(one: CocoImage) -> InputError:
    return InputError(f"{one.where}: the image {one.id} ({one.name}) stands twice: give each its own id and file name.")


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
