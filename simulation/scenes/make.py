"""Making scenes: any number of them from a seed, with or without their pictures."""

from collections.abc import Iterator

from PIL import Image

from simulation.scenes.narrations import tell
from simulation.scenes.paint import paint
from simulation.scenes.scene import SETTINGS, Scene, generator_for
from simulation.scenes.shapes import Layer, mirrored
from simulation.scenes.stage import CAPTIONS, SceneStage


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
