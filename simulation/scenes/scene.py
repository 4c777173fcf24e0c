"""A scene: everything known about one drawn picture, and the settings in which scenes take place."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from PIL import Image

from exchange.atomic import atomic_folder
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.write_files import write_files
from simulation.scenes.narrations import tell
from simulation.scenes.paint import paint
from simulation.scenes.shapes import Layer, Shape, mirrored
from simulation.scenes.stage import CAPTIONS, Boxed, SceneStage
from simulation.scenes.stories import coast, country, parks, shows, town


class SceneSetting(NamedTuple):
    """A place: the painter of its backdrop, and the story in front of it."""

    name: str
    backdrop: Callable[[Random], list[Layer]]
    story: Callable[[SceneStage], None]


SETTINGS = (
    SceneSetting("park", parks.park_backdrop, parks.park),
    SceneSetting("concert", shows.concert_backdrop, shows.concert),
    SceneSetting("beach", coast.beach_backdrop, coast.beach),
    SceneSetting("street", town.street_backdrop, town.street),
    SceneSetting("farm", country.farm_backdrop, country.farm),
    SceneSetting("river", parks.river_backdrop, parks.wedding),
    SceneSetting("night", town.night_backdrop, town.night),
    SceneSetting("snow", country.snow_backdrop, country.snow),
    SceneSetting("cafe", shows.cafe_backdrop, shows.cafe),
    SceneSetting("harbour", coast.harbour_backdrop, coast.harbour),
    SceneSetting("market", town.market_backdrop, town.market),
    SceneSetting("playground", parks.playground_backdrop, parks.playground),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: its captions, mentions, chains and boxes, and the shapes to draw it."""

    seed: int
    index: int
    setting: SceneSetting
    mirror: bool
    """Whether the picture is mirrored. Boxes are mirrored too; the shapes are not."""
    image: DatasetImage
    shapes: tuple[Shape, ...]
    """The entities, from back to front."""
    things: dict[str, tuple[Shape, ...]]
    """The same shapes by the thing they belong to."""
    hidden_below: dict[str, int]
    """The height in pixels below which things behind a counter or a hull are hidden."""
    boxed: dict[str, tuple[Boxed, ...]]
    """The things in the picture that each chain means, by the chain's name."""

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The pairs (part, whole) of chains of which the first means some of what the second means, by their names."""
        own = {name: frozenset(things) for name, things in self.boxed.items() if things}
        return [(part, whole) for part, few in own.items() for whole, many in own.items() if few < many]


def generator_for(seed: int, index: int, purpose: str) -> Random:
    """Return the random generator for one purpose of one scene; the same on every machine."""
    return Random(f"{seed}/{index}/{purpose}")


def make_scene(seed: int, index: int, *, narrated: bool = False) -> Scene:
    """The scene number `index` (from 0) of the seed, not drawn: the settings take turns.

    `narrated`: it has one to five narrations in place of five captions. Raises ValueError for a negative index.
    """
    if index < 0:
        raise ValueError(f"scenes are counted from 0, so there is no scene {index}")
    setting = SETTINGS[index % len(SETTINGS)]
    rng = generator_for(seed, index, "story")
    mirror = rng.random() < 0.5
    stage = SceneStage(rng, mirror=mirror)
    setting.story(stage)
    if narrated:
        rng = generator_for(seed, index, "narration")
        stage.sentences = [tell(stage, rng) for _ in range(rng.randint(1, CAPTIONS))]
    return Scene(
        seed=seed,
        index=index,
        setting=setting,
        mirror=mirror,
        image=stage.image(f"scene-{seed}-{index:05d}"),
        shapes=tuple(stage.shapes),
        things={thing: tuple(shapes) for thing, shapes in stage.things.items()},
        hidden_below=dict(stage.hidden_below),
        boxed=stage.boxed_by_number(),
    )


def make_scenes(seed: int, count: int, *, narrated: bool = False) -> Iterator[Scene]:
    """Yield the first `count` scenes of the seed."""
    return (make_scene(seed, index, narrated=narrated) for index in range(count))


def draw_scene(scene: Scene) -> Image.Image:
    """Draw the picture of the scene: RGB, 1200 x 800 pixels."""
    backdrop = scene.setting.backdrop(generator_for(scene.seed, scene.index, "backdrop"))
    layers: list[Layer] = [*backdrop, *scene.shapes]
    return paint([mirrored(layer) for layer in layers] if scene.mirror else layers)


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
