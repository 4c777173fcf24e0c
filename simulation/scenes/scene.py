"""A scene: everything known about one drawn picture, its settings, and the picture that is painted from its shapes."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from PIL import Image, ImageDraw

from exchange.atomic import atomic_folder
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import write_files
from simulation.scenes import in_town, outdoors
from simulation.scenes.narrations import tell
from simulation.scenes.shapes import HEIGHT, WIDTH, Band, Blob, Colour, Layer, Oval, Shape, mirrored
from simulation.scenes.stage import CAPTIONS, Boxed, SceneStage

FINER = 3
"""The factor by which everything is drawn larger than the picture."""


def paint(layers: Iterable[Layer]) -> Image.Image:
    """An RGB picture of WIDTH x HEIGHT with the layers from back to front."""
    canvas = Image.new("RGB", (WIDTH * FINER, HEIGHT * FINER), "white")
    # The second blends a colour with alpha into the picture below it, which takes thrice as long.
    opaque, glassy = ImageDraw.Draw(canvas), ImageDraw.Draw(canvas, "RGBA")
    for layer in layers:
        if isinstance(layer, Band):
            _band(canvas, layer)
            continue
        pencil = opaque if len(layer.colour) == 3 else glassy
        if isinstance(layer, Blob):
            _blob(pencil, layer)
        else:
            _oval(pencil, layer)
    return canvas.reduce(FINER)


def _band(canvas: Image.Image, band: Band) -> None:
    top, bottom = round(band.top * FINER), round(band.bottom * FINER)
    column = Image.new("RGB", (1, 64))
    for i in range(64):
        share = i / 63
        colour = [round(a + (b - a) * share) for a, b in zip(band.first, band.last, strict=True)]
        column.putpixel((0, i), (colour[0], colour[1], colour[2]))
    # Stretched in two steps: the blend is only worked out once per row.
    tall = column.resize((1, bottom - top), Image.Resampling.BILINEAR)
    canvas.paste(tall.resize((WIDTH * FINER, bottom - top), Image.Resampling.NEAREST), (0, top))


def _blob(pencil: ImageDraw.ImageDraw, blob: Blob) -> None:
    points = [(x * FINER - 0.5, y * FINER - 0.5) for x, y in blob.points]
    radius = blob.radius * FINER
    if blob.closed:
        pencil.polygon(points, fill=blob.colour)
    if radius <= 0:
        return
    if len(blob.colour) == 4 and len(points) > 1:
        raise ValueError(f"a see-through {blob.part!r} with a round pen would be blended twice where strokes meet")
    ends = [*points, points[0]] if blob.closed else points
    for (ax, ay), (bx, by) in pairwise(ends):
        _stick(pencil, ax, ay, bx, by, radius, blob.colour)
    for x, y in points:
        pencil.ellipse((x - radius, y - radius, x + radius, y + radius), fill=blob.colour)


def _stick(
    pencil: ImageDraw.ImageDraw, ax: float, ay: float, bx: float, by: float, radius: float, colour: Colour
) -> None:
    length = math.hypot(bx - ax, by - ay)
    if length < 0.01:
        return
    dx, dy = (by - ay) / length * radius, (ax - bx) / length * radius
    pencil.polygon([(ax + dx, ay + dy), (bx + dx, by + dy), (bx - dx, by - dy), (ax - dx, ay - dy)], fill=colour)


def _oval(pencil: ImageDraw.ImageDraw, oval: Oval) -> None:
    x, y, rx, ry = (v * FINER for v in (oval.x, oval.y, oval.rx, oval.ry))
    x, y = x - 0.5, y - 0.5
    if not oval.angle:
        pencil.ellipse((x - rx, y - ry, x + rx, y + ry), fill=oval.colour)
        return
    cos, sin = math.cos(math.radians(oval.angle)), math.sin(math.radians(oval.angle))
    turns = [math.tau * i / 72 for i in range(72)]
    around = [(rx * math.cos(t), ry * math.sin(t)) for t in turns]
    pencil.polygon([(x + u * cos - v * sin, y + u * sin + v * cos) for u, v in around], fill=oval.colour)


class SceneSetting(NamedTuple):
    """A place: the painter of its backdrop, and the story in front of it."""

    name: str
    backdrop: Callable[[Random], list[Layer]]
    story: Callable[[SceneStage], None]


SETTINGS = (
    SceneSetting("park", outdoors.park_backdrop, outdoors.park),
    SceneSetting("concert", in_town.concert_backdrop, in_town.concert),
    SceneSetting("beach", outdoors.beach_backdrop, outdoors.beach),
    SceneSetting("street", in_town.street_backdrop, in_town.street),
    SceneSetting("farm", outdoors.farm_backdrop, outdoors.farm),
    SceneSetting("river", outdoors.river_backdrop, outdoors.wedding),
    SceneSetting("night", in_town.night_backdrop, in_town.night),
    SceneSetting("snow", outdoors.snow_backdrop, outdoors.snow),
    SceneSetting("cafe", in_town.cafe_backdrop, in_town.cafe),
    SceneSetting("harbour", outdoors.harbour_backdrop, outdoors.harbour),
    SceneSetting("market", in_town.market_backdrop, in_town.market),
    SceneSetting("playground", outdoors.playground_backdrop, outdoors.playground),
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
