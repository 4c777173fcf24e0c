"""Drawn things fill the boxes that were calculated without drawing."""

import hashlib

import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat

from annotation.rules.box import Box
from scenes.make import draw_scene, make_scene
from scenes.paint import paint
from scenes.scene import SETTINGS, Scene
from scenes.shapes import HEIGHT, SHADOW, WIDTH, Blob, Oval, above, extent, mirrored
from scenes.stage import Boxed


def painted(scene: Scene, boxed: Boxed) -> Box:
    """Return the pixels that change when a thing, or parts of it, is painted alone."""
    thing, parts = (boxed, None) if isinstance(boxed, str) else boxed
    shapes = [s for s in scene.things[thing] if s.part != SHADOW and (parts is None or s.part in parts)]
    black = [s._replace(colour=(0, 0, 0)) for s in shapes]
    picture = paint([mirrored(s) for s in black] if scene.mirror else black)
    mask = ImageOps.invert(picture.convert("L")).point(lambda value: 255 if value >= 128 else 0)
    mask.paste(0, (0, scene.hidden_below.get(thing, HEIGHT), WIDTH, HEIGHT))
    found = mask.getbbox()
    assert found is not None
    return Box(*found)


def mean_difference(a: Image.Image, b: Image.Image) -> float:
    """Return the difference in steps of brightness, 0 to 255."""
    return ImageStat.Stat(ImageChops.difference(a, b).convert("L")).mean[0]


@pytest.mark.parametrize("index", range(len(SETTINGS)), ids=[setting.name for setting in SETTINGS])
def test_the_painted_pixels_of_an_entity_fill_its_box(index: int) -> None:
    scene = make_scene(1, index)
    seen = set()
    for box in scene.image.boxes:
        for boxed in scene.boxed[box.chains[0]]:
            if boxed in seen:
                continue
            seen.add(boxed)
            pixels = painted(scene, boxed)
            wanted = [b.box for b in scene.image.boxes if box.chains[0] in b.chains]
            off = min(max(abs(a - b) for a, b in zip(pixels, want, strict=True)) for want in wanted)
            assert off <= 1, (boxed, pixels, wanted)


def test_a_turned_oval_reaches_as_far_as_it_is_painted() -> None:
    oval = Oval("leaf", (0, 0, 0), 600, 400, 200, 50, 30)
    found = ImageOps.invert(paint([oval]).convert("L")).point(lambda value: 255 if value >= 128 else 0).getbbox()
    assert found is not None
    assert max(abs(a - b) for a, b in zip(found, extent([oval]), strict=True)) <= 1


def test_it_draws_a_picture_of_the_size_that_it_says() -> None:
    scene = make_scene(1, 0)
    picture = draw_scene(scene)
    assert (picture.mode, picture.size) == ("RGB", (scene.image.width, scene.image.height))


def test_it_draws_the_same_pixels_again() -> None:
    first, again = (hashlib.sha256(draw_scene(make_scene(4, 6)).tobytes()).hexdigest() for _ in range(2))
    assert first == again


def test_a_mirrored_scene_is_drawn_the_other_way_round() -> None:
    scene = make_scene(1, 0)
    other = Scene(**{name: getattr(scene, name) for name in Scene.__slots__} | {"mirror": not scene.mirror})
    here, there = draw_scene(scene), draw_scene(other)
    flipped = there.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    assert mean_difference(here, flipped) < 1 < mean_difference(here, there)


def test_a_shape_outside_the_picture_has_no_box() -> None:
    with pytest.raises(ValueError, match="outside the picture"):
        extent([Blob("ball", (0, 0, 0), 5, ((-50, 20),))])


def test_a_part_that_is_not_there_has_no_box() -> None:
    with pytest.raises(ValueError, match="hat"):
        extent([Blob("ball", (0, 0, 0), 5, ((50, 20),))], frozenset({"hat"}))


def test_what_lies_behind_a_counter_does_not_count() -> None:
    leg = Blob("leg", (0, 0, 0), 10, ((100, 100), (300, 300)))
    assert extent(above(leg, 200)) == Box(90, 90, 214, 200)
    assert above(leg, 80) == []
