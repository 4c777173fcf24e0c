"""Captions by image from a file or an export: Flickr30k's token format, COCO captions, a folder or an archive."""

import gzip
import zlib
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from evaluation.errors import InputError
from evaluation.reading.json_lines import coco_id, coco_name, json_file, listed, member
from evaluation.reading.pictures import read_pictures

ADVICE = ": give a file of COCO captions"


def read_token_file(path: Path) -> dict[str, list[str]]:
    """Return the captions of each image, by its name without ending, in the order of the file.

    Raises InputError, naming the line, for a line of another form.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    found: dict[str, list[str]] = {}
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                key, tab, caption = line.rstrip("\n").partition("\t")
                image, hash_sign, _ = key.rpartition("#")
                if not (tab and hash_sign and caption.strip()):
                    raise InputError(f"{path}, line {number}: IMAGE#NUMBER, a tab and a caption are expected.")
                found.setdefault(image.rpartition(".")[0] or image, []).append(caption.strip())
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not readable as UTF-8 text, plain or as .gz: {error}.") from None
    if not found:
        raise InputError(f"{path} holds no captions.")
    return found


def read_captions(path: Path) -> dict[str, list[str]]:
    """Return the captions of each image in their order, by the image's name without ending, in the order of the file.

    Reads a token file (plain or .gz), COCO captions (.json), or an export as a folder or .zip. In COCO captions an
    image has the name of its `file_name`, or its id if the file lists no images. Every image has a caption.
    Raises InputError, which names the file and the line, entry or image.
    """
    if path.is_dir() or is_zipfile(path):
        found = {one.name: [caption.text for caption in one.captions] for one in read_pictures(path)}
    elif path.suffix.lower() == ".json":
        found = _from_coco(path)
    else:
        found = read_token_file(path)
    if not found:
        raise InputError(f"{path.name} holds no captions.")
    if bare := [name for name, captions in found.items() if not captions]:
        raise InputError(
            f"{path.name}: the image {bare[0]!r} has no caption (images without one: {len(bare):,}): add one, or leave "
            "the image out."
        )
    return found


def _from_coco(path: Path) -> dict[str, list[str]]:
    value = json_file(path)
    names = _names(value, path.name)
    found: dict[str, list[str]] = {name: [] for name in names.values()}
    for place, one in enumerate(listed(value, "annotations", path.name, ADVICE), start=1):
        where = f"{path.name}, annotation {place}"
        image = _id(member(one, "image_id", where), where)
        caption = member(one, "caption", where)
        if not isinstance(caption, str) or not caption.strip():
            raise InputError(f"{where}: the caption is not text: write one, or leave the annotation out.")
        if names and image not in names:
            raise InputError(
                f"{where}: the image {image} is not among the images: add it, or leave the annotation out."
            )
        found.setdefault(names.get(image, image), []).append(" ".join(caption.split()))
    return found


def _names(value: Any, file: str) -> dict[str, str]:
    """Return the name of each image by its id; nothing if the file lists no images."""
    if not isinstance(value, dict) or "images" not in value:
        return {}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for place, one in enumerate(listed(value, "images", file, ADVICE), start=1):
        where = f"{file}, image {place}"
        image = _id(member(one, "id", where), where)
        name = coco_name(one, where)
        if image in found or name in taken:
            raise InputError(f"{where}: the image {image} ({name}) stands twice: give each its own id and file name.")
        found[image] = name
        taken.add(name)
    return found


def _id(value: Any, where: str) -> str:
    return str(coco_id(value, f"{where}: the id of the image"))
