"""Captions of a system, as COCO's results: a JSON list of {"image_id", "caption"}, one caption an image."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath
from zipfile import is_zipfile

from evaluation.errors import InputError
from evaluation.reading.coco import names_of
from evaluation.reading.json_lines import coco_id, coco_name, json_file, member


def read_hypotheses(path: Path, references: Path, images: Collection[str]) -> dict[str, str]:
    """Return the caption of each image. `images`: the names of those with references.

    An image is told by its id in the references, if they are COCO's captions, or by its name.

    Raises InputError for a file of another form, a doubled image, and images without references.
    """
    value = json_file(path)
    if not isinstance(value, list):
        raise InputError(f'{path.name} is not a list of {{"image_id", "caption"}}.')
    names = _names(references)
    found: dict[str, str] = {}
    for place, one in enumerate(value, start=1):
        where = f"{path.name}, caption {place}"
        told = str(coco_id(member(one, "image_id", where), f"{where}: the field 'image_id'"))
        caption = member(one, "caption", where)
        image = names.get(told, told)
        if image not in images and PurePosixPath(told).stem in images:
            image = PurePosixPath(told).stem
        if not isinstance(caption, str):
            raise InputError(f"{where}: the field 'caption' is not text.")
        if image in found:
            raise InputError(f"{where}: the image {image} has a caption already; give one an image.")
        found[image] = caption
    if not found:
        raise InputError(f"{path.name} holds no captions.")
    if missing := [image for image in found if image not in images]:
        raise InputError(
            f"{path.name}: the image {missing[0]} has no references ({len(missing):,} of {len(found):,} have none). "
            "Give the references of the split that was captioned."
        )
    return found


def _names(references: Path) -> dict[str, str]:
    """Return the name of each image by its id: in COCO's captions, or in an export that has ids."""
    if references.is_dir() or is_zipfile(references):
        return names_of(references).images
    if references.suffix.lower() != ".json":
        return {}
    listed = json_file(references).get("images", [])
    return {str(coco_id(one["id"], references.name)): coco_name(one, references.name) for one in listed}
