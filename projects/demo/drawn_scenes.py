"""Scenes of the first demo once more, with few phrases, so that another demo needs few answers."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj

from django.core.files.storage import default_storage

from annotation.models import Image
from exchange.dataset import DatasetImage, Problem
from simulation.build_demo import NAME, SEED
from simulation.scenes.scene import write_source

CAPTIONS = 2


def write_again(source: Path) -> None:
    """Write the scenes of the first demo, with the pictures that were drawn for them."""
    drawn = Image.objects.filter(project__name=NAME).exclude(picture="")
    write_source(source, SEED, drawn.count(), pictures=False)
    (source / "images").mkdir()
    for name, picture in drawn.values_list("name", "picture"):
        with default_storage.open(picture) as stored, (source / "images" / f"{name}.jpg").open("wb") as file:
            copyfileobj(stored, file)


def plainest(images: Iterable[DatasetImage | Problem], most: int) -> list[DatasetImage]:
    """Return the `most` images with the fewest phrases in their first captions, with these captions alone."""
    some = [_shortened(image) for image in images if isinstance(image, DatasetImage)]
    return sorted(some, key=lambda one: (len(one.mentions), one.name))[:most]


def _shortened(image: DatasetImage) -> DatasetImage:
    """Return the image with the phrases of its first captions alone, and with what they show."""
    mentions = tuple(mention for mention in image.mentions if mention.caption < CAPTIONS)
    named = {mention.chain for mention in mentions if mention.chain is not None}
    boxes = tuple(
        replace(box, chains=tuple(named.intersection(box.chains))) for box in image.boxes if named & {*box.chains}
    )
    return replace(
        image,
        captions=image.captions[:CAPTIONS],
        mentions=mentions,
        chains=tuple(chain for chain in image.chains if chain.name in named),
        boxes=boxes,
    )
