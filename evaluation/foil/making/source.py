"""The captions that foils are made from, with the categories of boxes where they are known."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.errors import InputError
from evaluation.reading.caption_file import read_captions
from evaluation.reading.coco import read_instances
from evaluation.reading.picture import Picture
from evaluation.reading.pictures import read_pictures
from evaluation.work import Work


@dataclass(frozen=True)
class Source:
    """Captions by image; the categories of the boxes of each image, empty where they are not known."""

    captions: Mapping[str, list[str]]
    categories: Mapping[str, set[str]]
    pictures: tuple[Picture, ...] = ()
    """The pictures of an export, if the captions come from one."""


def read_source(work: Work) -> Source:
    """Return the captions of `--captions`, or of the export `--data`. Raises InputError."""
    file, instances = work.file("captions"), work.file("instances")
    if (file is None) == (work.data is None):
        raise InputError("Give either --captions, a file of captions, or --data, an export.")
    pictures: tuple[Picture, ...] = ()
    categories: dict[str, set[str]] = {}
    if file is not None:
        captions = read_captions(file)
    else:
        captions = read_captions(work.export)
        pictures = tuple(read_pictures(work.export))
        categories = {picture.name: {name for name, _ in picture.loose} for picture in pictures}
    if instances is not None:
        categories = read_instances(instances)
        if missing := [name for name in captions if name not in categories]:
            raise InputError(
                f"{instances.name} does not list the image {missing[0]!r} of the captions ({len(missing):,} of "
                f"{len(captions):,} are missing): give the instances of the same images, or leave --instances out."
            )
    return Source(captions, categories, pictures)
