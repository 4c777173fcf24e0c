"""Scenes written as a source folder in the format of Flickr30k Entities, with pictures."""

from collections.abc import Iterator
from pathlib import Path

from exchange.atomic import atomic_folder
from exchange.dataset import DatasetImage
from exchange.flickr30k.write import write_flickr30k
from scenes.make import draw_scene, make_scenes


def write_source(folder: Path, seed: int, count: int, *, pictures: bool = True) -> None:
    """Write the first `count` scenes of the seed: Sentences/, Annotations/ and, drawn, images/*.jpg.

    The folder appears when all is written. Raises TargetExists if it is not empty, ValueError for a count below 1.
    """
    if count < 1:
        raise ValueError(f"a source needs at least one scene, not {count}")
    with atomic_folder(folder) as temporary:
        if pictures:
            (temporary / "images").mkdir()
        write_flickr30k(_drawn(temporary, seed, count, pictures=pictures), temporary / "texts")
        for part in list((temporary / "texts").iterdir()):
            part.rename(temporary / part.name)
        (temporary / "texts").rmdir()


def _drawn(folder: Path, seed: int, count: int, *, pictures: bool) -> Iterator[DatasetImage]:
    for scene in make_scenes(seed, count):
        if pictures:
            file = folder / "images" / f"{scene.image.name}.jpg"
            draw_scene(scene).save(file, quality=93, subsampling=0)
        yield scene.image
