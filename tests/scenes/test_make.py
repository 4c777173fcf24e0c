"""Conditions that hold for every scene."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.box import Box, iou
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import DatasetImage
from scenes.grammar import LONGEST
from scenes.make import make_scene, make_scenes
from scenes.scene import SETTINGS

DEMO = [scene.image for scene in make_scenes(1, 12)]
FIRST_CAPTIONS = [
    "A man in a green t-shirt is walking with a brown dog in a park .",
    "A small brown dog on a leash leads an elderly man past an empty bench .",
]
FIRST_BOX = Box(618, 362, 776, 752)
ANY_SCENE = given(seed=st.integers(0, 10**6), index=st.integers(0, 10**6))
FEW = settings(max_examples=60)


def made(seed: int, index: int) -> DatasetImage:
    return make_scene(seed, index).image


def phrase(image: DatasetImage, at: int) -> str:
    mention = image.mentions[at]
    return " ".join(image.captions[mention.caption].words[mention.start : mention.end])


@ANY_SCENE
@FEW
def test_it_makes_the_same_scene_again(seed: int, index: int) -> None:
    assert make_scene(seed, index) == make_scene(seed, index)


def test_it_makes_the_same_scene_on_every_machine() -> None:
    assert [made(1, 0).captions[i].text for i in (0, 1)] == FIRST_CAPTIONS
    assert made(1, 0).boxes[0].box == FIRST_BOX


def test_it_makes_different_scenes_from_different_seeds_and_numbers() -> None:
    texts = {tuple(c.text for c in made(seed, index).captions) for seed in range(8) for index in range(0, 96, 12)}
    assert len(texts) == 64


def test_it_takes_turns_with_the_settings() -> None:
    assert [scene.setting.name for scene in make_scenes(3, 12)] == [setting.name for setting in SETTINGS]


def test_it_refuses_a_scene_before_the_first() -> None:
    with pytest.raises(ValueError, match="counted from 0"):
        make_scene(1, -1)


@ANY_SCENE
@FEW
def test_it_keeps_every_box_inside_the_frame(seed: int, index: int) -> None:
    image = made(seed, index)
    assert image.boxes
    assert all(box.box.fits(image.width, image.height) for box in image.boxes)


@ANY_SCENE
@FEW
def test_it_names_the_chain_of_every_mention_and_box(seed: int, index: int) -> None:
    image = made(seed, index)
    names = {chain.name for chain in image.chains}
    assert {mention.chain for mention in image.mentions} == names
    assert {name for box in image.boxes for name in box.chains} <= names
    assert sorted(names, key=int) == [str(number) for number in range(1, len(names) + 1)]


@ANY_SCENE
@FEW
def test_it_gives_a_chain_either_boxes_or_one_reason_for_none(seed: int, index: int) -> None:
    image = made(seed, index)
    boxed = {name for box in image.boxes for name in box.chains}
    for chain in image.chains:
        assert (chain.name in boxed) + chain.scene + chain.no_box == 1, chain


@ANY_SCENE
@FEW
def test_it_keeps_mentions_and_other_chunks_apart_and_in_reading_order(seed: int, index: int) -> None:
    image = made(seed, index)
    spans = [(m.caption, m.start, m.end) for m in image.mentions]
    assert spans == sorted(spans)
    for number, caption in enumerate(image.captions):
        chunks = sorted([(s, e) for c, s, e in spans if c == number] + list(caption.non_visual))
        assert all(start < end <= len(caption.words) for start, end in chunks)
        assert all(first[1] <= second[0] for first, second in pairwise(chunks))


@ANY_SCENE
@FEW
def test_it_never_mentions_a_chain_twice_in_a_caption(seed: int, index: int) -> None:
    pairs = [(m.caption, m.chain) for m in made(seed, index).mentions]
    assert len(pairs) == len(set(pairs))


@ANY_SCENE
@FEW
def test_it_writes_captions_that_read_as_sentences(seed: int, index: int) -> None:
    image = made(seed, index)
    assert len(image.captions) == len({caption.text for caption in image.captions}) == 5
    for caption in image.captions:
        assert caption.text == " ".join(caption.words)
        assert [caption.text[o : o + len(w)] for o, w in zip(caption.offsets, caption.words, strict=True)] == list(
            caption.words
        )
        assert re.fullmatch(r"[A-Z][a-z-]*( ([a-z-]+|,))* \.", caption.text), caption.text
        assert 6 <= len(caption.words) <= LONGEST, caption.text
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]|(\b\w+) \1\b", caption.text.lower()), caption.text


@ANY_SCENE
@FEW
def test_it_uses_only_known_types(seed: int, index: int) -> None:
    known = {kind.value for kind in MentionType}
    assert all(mention.types and set(mention.types) <= known for mention in made(seed, index).mentions)


@pytest.mark.parametrize("kind", NOUN_TYPES)
def test_the_demo_mentions_every_type(kind: MentionType) -> None:
    assert any(kind in mention.types for image in DEMO for mention in image.mentions)


def test_the_demo_shows_every_kind_of_chain() -> None:
    chains = [(image, chain) for image in DEMO for chain in image.chains]
    boxes = [sum(chain.name in box.chains for box in image.boxes) for image, chain in chains]
    assert max(boxes) >= 3
    assert any(chain.scene for _, chain in chains)
    assert any(chain.no_box for _, chain in chains)
    assert any(len(box.chains) > 1 for image in DEMO for box in image.boxes)


def test_the_demo_shows_a_crowd_with_one_box() -> None:
    crowds = [
        sum(image.mentions[at].chain in box.chains for box in image.boxes)
        for image in DEMO
        for at in range(len(image.mentions))
        if "crowd" in phrase(image, at)
    ]
    assert crowds
    assert set(crowds) == {1}


def test_the_demo_has_chunks_that_are_no_mentions() -> None:
    chunks = {
        " ".join(caption.words[start:end])
        for image in DEMO
        for caption in image.captions
        for start, end in caption.non_visual
    }
    assert chunks & {"he", "she"}
    assert "the background" in chunks


def test_the_demo_has_mentions_of_several_types() -> None:
    assert any(len(mention.types) > 1 for image in DEMO for mention in image.mentions)


def test_the_demo_has_boxes_that_overlap() -> None:
    for image in DEMO:
        boxes = [box.box for box in image.boxes]
        assert any(iou(a, b) > 0 for i, a in enumerate(boxes) for b in boxes[:i])


def test_it_says_about_as_much_as_people_do() -> None:
    images = [scene.image for scene in make_scenes(5, 120)]
    assert 14 <= sum(len(image.mentions) for image in images) / 120 <= 20
    assert 7 <= sum(len(image.chains) for image in images) / 120 <= 11
