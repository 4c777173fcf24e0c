"""Scenes written as a source folder in the format of Flickr30k Entities, with pictures."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from exchange.atomic import atomic_folder
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.write_files import write_files
from simulation.scenes.make import draw_scene, make_scenes
from simulation.scenes.scene import Scene

PARTS = "parts.json"


def write_source(folder: Path, seed: int, count: int, *, pictures: bool = True, narrated: bool = False) -> None:
    """Write the first `count` scenes of the seed: Sentences/, Annotations/ and, drawn, images/*.jpg.

    `narrated`: they have narrations for captions. PARTS then holds, for each image, the pairs of chains of which the
    first means a part of what the second means; importers do not read it. The folder appears when all is written.
    Raises TargetExists if it is not empty, ValueError for a count below 1.
    """
    if count < 1:
        raise ValueError(f"a source needs at least one scene, not {count}")
    with atomic_folder(folder) as temporary:
        if pictures:
            (temporary / "images").mkdir()
        scenes = make_scenes(seed, count, narrated=narrated)
        parts: dict[str, list[tuple[str, str]]] = {}
        write_files(FLICKR30K, _drawn(temporary, scenes, parts, pictures=pictures), temporary / "texts")
        for part in list((temporary / "texts").iterdir()):
            part.rename(temporary / part.name)
        (temporary / "texts").rmdir()
        if narrated:
            (temporary / PARTS).write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")


def _drawn(
    folder: Path, scenes: Iterable[Scene], parts: dict[str, list[tuple[str, str]]], *, pictures: bool
) -> Iterator[DatasetImage]:
    for scene in scenes:
        if pictures:
            file = folder / "images" / f"{scene.image.name}.jpg"
            draw_scene(scene).save(file, quality=93, subsampling=0)
        parts[scene.image.name] = scene.parts
        yield scene.image
