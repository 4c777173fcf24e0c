"""Captions by image from a file or an export: Flickr30k's token format, COCO captions, a folder or an archive."""

import gzip
import zlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import is_zipfile

from evaluation.errors import InputError
from evaluation.reading.coco import images_by_id, names_by_id, names_of
from evaluation.reading.picture import Picture
from evaluation.reading.pictures import RECORD, pictures_in, read_pictures
from evaluation.reading.source import coco_id, grows_too_much, json_file, listed, member

CAPTIONS_RATIO = 30
"""The most by which a compressed file of captions may grow: captions grow about four times."""
LONGEST_LINE = 1 << 20
ADVICE = ": give a file of COCO captions"


class CaptionFile(NamedTuple):
    """Captions of images."""

    by_image: dict[str, list[str]]
    """Those of each image, by its name without ending."""
    names: dict[str, str]
    """The name of each image by its id, and by the name of its file, where the source has ids."""


def read_token_file(path: Path) -> dict[str, list[str]]:
    """Return the captions of each image, by its name without ending, in the order of the file.

    Raises InputError, naming the line, for a line of another form.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    found: dict[str, list[str]] = {}
    packed, size = path.stat().st_size, 0
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), ""), 1):
                size += len(line)
                if grows_too_much(packed, size, CAPTIONS_RATIO):
                    raise InputError(f"{path} grows to more than {size:,} characters: it is no file of captions.")
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

    Reads a token file (plain or .gz), COCO captions (.json), or an export. In COCO captions an
    image has the name of its `file_name`, or its id if the file lists no images. Every image has a caption.
    Raises InputError, which names the file and the line, entry or image.
    """
    return _read(path).by_image


def read_named_captions(path: Path) -> CaptionFile:
    """Return what `read_captions` returns, and the images' names by their ids. Raises InputError as it does."""
    found = _read(path)
    return found._replace(names=names_of(path).images) if _is_export(path) else found


def _is_export(path: Path) -> bool:
    return path.is_dir() or is_zipfile(path) or path.suffix.lower() == RECORD


def _read(path: Path) -> CaptionFile:
    if _is_export(path):
        found = _of_pictures(read_pictures(path))
    elif path.suffix.lower() == ".json":
        found = _from_json(path)
    else:
        found = CaptionFile(read_token_file(path), {})
    if not found.by_image:
        raise InputError(f"{path.name} holds no captions.")
    if bare := [name for name, captions in found.by_image.items() if not captions]:
        raise InputError(
            f"{path.name}: the image {bare[0]!r} has no caption (images without one: {len(bare):,}): add one, or leave "
            "the image out."
        )
    return found


def _of_pictures(pictures: Iterable[Picture]) -> CaptionFile:
    return CaptionFile({picture.name: [caption.text for caption in picture.captions] for picture in pictures}, {})


def _from_json(path: Path) -> CaptionFile:
    value = json_file(path)
    if value and (pictures := pictures_in(value, path)) is not None:
        return _of_pictures(pictures)
    return _from_coco(value, path)


def _from_coco(value: Any, path: Path) -> CaptionFile:
    listing = isinstance(value, dict) and "images" in value
    images = images_by_id(value, path.name, ADVICE) if listing else {}
    found: dict[str, list[str]] = {image.name: [] for image in images.values()}
    for place, entry in enumerate(listed(value, "annotations", path.name, ADVICE), start=1):
        where = f"{path.name}, annotation {place}"
        image = str(coco_id(member(entry, "image_id", where), f"{where}: the id of the image"))
        caption = member(entry, "caption", where)
        if not isinstance(caption, str) or not caption.strip():
            raise InputError(f"{where}: the caption is not text: write one, or leave the annotation out.")
        if images and image not in images:
            raise InputError(
                f"{where}: the image {image} is not among the images: add it, or leave the annotation out."
            )
        name = images[image].name if images else image
        found.setdefault(name, []).append(" ".join(caption.split()))
    return CaptionFile(found, names_by_id(images.values()))
