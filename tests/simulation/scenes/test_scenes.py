"""Patterns become sentences that agree in number.
Conditions that hold for every scene.
Drawn things fill the boxes that were calculated without drawing.
Made-up narrations: long captions whose chains, pronouns and parts are known.
Scenes as a source folder.
"""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageOps, ImageStat

from annotation.bounds import MOST_PHRASES, MOST_PHRASES_OF_CAPTION
from annotation.rules.box import Box, iou
from annotation.rules.mention_type import NOUN_TYPES, MentionType, may_be_mention
from exchange.atomic import TargetExists
from exchange.checks import describe_excess
from exchange.dataset import DatasetImage, Problem
from exchange.formats.flickr30k.read import read_flickr30k
from simulation.scenes.scene import PARTS, SETTINGS, Scene, draw_scene, make_scene, make_scenes, paint, write_source
from simulation.scenes.shapes import HEIGHT, SHADOW, WIDTH, Blob, Oval, above, extent, mirrored
from simulation.scenes.stage import Boxed
from simulation.scenes.words import MAX_CAPTION_WORDS, Noun, a, compose
from tests.support.table import row

NOUNS = {
    "dog": Noun(("a dog",), ("animals",)),
    "dogs": Noun(("+two dogs",), ("animals",)),
    "boat": Noun(("a small vessel|other",), ("vehicles",)),
    "white-dog": Noun(("a white dog",), ("animals",)),
}


def said(pattern: str) -> str:
    return compose(pattern, NOUNS, Random(0)).caption.text


@row("[dog] runs/run", "A dog runs .")
@row("[dogs] runs/run", "Two dogs run .")
@row("[dog] barks while [dogs!] runs/run", "A dog barks while two dogs run .")
@row("[dogs] see [dog] and is/are happy", "Two dogs see a dog and are happy .")
@row("[white-dog] sees <them> in <the_background>", "A white dog sees them in the background .")
def test_verbs_follow_their_subject(pattern: str, sentence: str) -> None:
    assert said(pattern) == sentence


def test_it_marks_where_mentions_and_other_chunks_are_and_chooses_among_alternatives_even_nested_ones() -> None:
    sentence = compose("[dogs] chase [dog] in <the_background>", NOUNS, Random(0))
    assert sentence.mentions == ((0, 2, "dogs", ("animals",)), (3, 5, "dog", ("animals",)))
    assert sentence.caption.non_visual == ((6, 8),)
    assert sentence.caption.offsets == (0, 4, 9, 15, 17, 21, 24, 28, 39)
    seen = {compose("[dog] (sits|runs( fast|))", NOUNS, Random(seed)).caption.text for seed in range(40)}
    assert seen == {"A dog sits .", "A dog runs .", "A dog runs fast ."}


@row("orange hat", "an orange hat")
@row("red hat", "a red hat")
@row("+jeans", "+jeans")
def test_the_article_goes_with_the_sound_and_a_phrase_with_its_noun(words: str, phrase: str) -> None:
    assert a(words) == phrase
    assert compose("see [boat]", NOUNS, Random(0)).mentions[0][3] == ("other",), "it has types of its own"
    with pytest.raises(KeyError, match="cat"):
        said("[cat] sits")


DEMO = [scene.image for scene in make_scenes(1, 12)]
EVERY_SCENE = given(seed=st.integers(0, 10**6), index=st.integers(0, 10**6))
FEW = settings(max_examples=60)


def made(seed: int, index: int) -> DatasetImage:
    return make_scene(seed, index).image


def phrase(image: DatasetImage, at: int) -> str:
    mention = image.mentions[at]
    return " ".join(image.captions[mention.caption].words[mention.start : mention.end])


@EVERY_SCENE
@FEW
def test_it_makes_the_same_scene_again(seed: int, index: int) -> None:
    assert make_scene(seed, index) == make_scene(seed, index)


def test_it_makes_the_same_scene_on_every_machine_and_others_from_other_seeds_and_numbers() -> None:
    first, second, *_ = (caption.text for caption in made(1, 0).captions)
    assert first == "A man in a green t-shirt is walking with a brown dog in a park ."
    assert second == "A small brown dog on a leash leads an elderly man past an empty bench ."
    assert made(1, 0).boxes[0].box == Box(618, 362, 776, 752)
    texts = {tuple(c.text for c in made(seed, index).captions) for seed in range(8) for index in range(0, 96, 12)}
    assert len(texts) == 64


def test_it_takes_turns_with_the_settings_and_refuses_a_scene_before_the_first() -> None:
    assert [scene.setting.name for scene in make_scenes(3, 12)] == [setting.name for setting in SETTINGS]
    with pytest.raises(ValueError, match="counted from 0"):
        make_scene(1, -1)


@EVERY_SCENE
@FEW
def test_it_names_the_chain_of_every_mention_and_box_and_keeps_boxes_inside_the_frame(seed: int, index: int) -> None:
    image = made(seed, index)
    names = {chain.name for chain in image.chains}
    assert {mention.chain for mention in image.mentions} == names
    assert sorted(names, key=int) == [str(number) for number in range(1, len(names) + 1)]
    boxed = {name for box in image.boxes for name in box.chains}
    assert boxed <= names
    for chain in image.chains:
        assert (chain.name in boxed) + chain.scene + chain.no_box == 1, (chain, "either boxes or one reason for none")
    assert image.boxes and all(box.box.fits(image.width, image.height) for box in image.boxes)


@EVERY_SCENE
@FEW
def test_it_keeps_mentions_of_known_types_and_other_chunks_apart_and_in_reading_order(seed: int, index: int) -> None:
    image, known = made(seed, index), {kind.value for kind in MentionType}
    spans = [(m.caption, m.start, m.end) for m in image.mentions]
    assert spans == sorted(spans)
    for number, caption in enumerate(image.captions):
        chunks = sorted([(s, e) for c, s, e in spans if c == number] + list(caption.non_visual))
        assert all(start < end <= len(caption.words) for start, end in chunks)
        assert all(first[1] <= second[0] for first, second in pairwise(chunks))
    assert all(mention.types and set(mention.types) <= known for mention in image.mentions)
    pairs = [(m.caption, m.chain) for m in image.mentions]
    assert len(pairs) == len(set(pairs)), "no chain twice in a caption"


@EVERY_SCENE
@FEW
def test_it_writes_captions_that_read_as_sentences(seed: int, index: int) -> None:
    image = made(seed, index)
    assert len(image.captions) == len({caption.text for caption in image.captions}) == 5
    for caption in image.captions:
        assert caption.text == " ".join(caption.words)
        placed = zip(caption.offsets, caption.words, strict=True)
        assert all(caption.text.startswith(word, offset) for offset, word in placed)
        assert re.fullmatch(r"[A-Z][a-z-]*( ([a-z-]+|,))* \.", caption.text), caption.text
        assert 6 <= len(caption.words) <= MAX_CAPTION_WORDS, caption.text
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]|(\b\w+) \1\b", caption.text.lower()), caption.text


def test_the_demo_shows_every_type_and_every_kind_of_chain_mentions_of_several_types_and_boxes_that_overlap() -> None:
    assert {kind for image in DEMO for mention in image.mentions for kind in mention.types} >= {*NOUN_TYPES}
    chains = [(image, chain) for image in DEMO for chain in image.chains]
    assert max([sum(chain.name in box.chains for box in image.boxes) for image, chain in chains]) >= 3
    assert any(chain.scene for _, chain in chains) and any(chain.no_box for _, chain in chains)
    assert any(len(box.chains) > 1 for image in DEMO for box in image.boxes)
    assert any(len(mention.types) > 1 for image in DEMO for mention in image.mentions)
    for image in DEMO:
        assert any(iou(a.box, b.box) > 0 for i, a in enumerate(image.boxes) for b in image.boxes[:i])


def test_the_demo_shows_a_crowd_with_one_box_chunks_that_are_no_mentions_and_as_much_as_people_say() -> None:
    mentions = [(image, at) for image in DEMO for at in range(len(image.mentions)) if "crowd" in phrase(image, at)]
    assert {sum(image.mentions[at].chain in box.chains for box in image.boxes) for image, at in mentions} == {1}
    captions = [caption for image in DEMO for caption in image.captions]
    chunks = {" ".join(caption.words[start:end]) for caption in captions for start, end in caption.non_visual}
    assert chunks & {"he", "she"} and "the background" in chunks
    images = [scene.image for scene in make_scenes(5, 120)]
    assert 14 <= fmean(len(image.mentions) for image in images) <= 20
    assert 7 <= fmean(len(image.chains) for image in images) <= 11


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
    pairs = {boxed: box for box in reversed(scene.image.boxes) for boxed in scene.boxed[box.chains[0]]}
    for boxed, box in pairs.items():
        pixels = painted(scene, boxed)
        wanted = [b.box for b in scene.image.boxes if box.chains[0] in b.chains]
        off = min(max(abs(a - b) for a, b in zip(pixels, want, strict=True)) for want in wanted)
        assert off <= 1, (boxed, pixels, wanted)


def test_a_turned_oval_reaches_as_far_as_it_is_painted_and_what_lies_behind_a_counter_does_not_count() -> None:
    oval = Oval("leaf", (0, 0, 0), 600, 400, 200, 50, 30)
    found = ImageOps.invert(paint([oval]).convert("L")).point(lambda value: 255 if value >= 128 else 0).getbbox()
    assert found is not None
    assert max(abs(a - b) for a, b in zip(found, extent([oval]), strict=True)) <= 1
    leg = Blob("leg", (0, 0, 0), 10, ((100, 100), (300, 300)))
    assert extent(above(leg, 200)) == Box(90, 90, 214, 200) and above(leg, 80) == []


def test_it_draws_a_picture_of_the_size_that_it_says_the_same_again_and_mirrored_the_other_way_round() -> None:
    scene = make_scene(1, 0)
    other = Scene(**{name: getattr(scene, name) for name in Scene.__slots__} | {"mirror": not scene.mirror})
    here, there = draw_scene(scene), draw_scene(other)
    assert (here.mode, here.size) == ("RGB", (scene.image.width, scene.image.height))
    assert here.tobytes() == draw_scene(make_scene(1, 0)).tobytes()
    flipped = there.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    assert mean_difference(here, flipped) < 1 < mean_difference(here, there)


def test_a_shape_outside_the_picture_and_a_part_that_is_not_there_have_no_box() -> None:
    with pytest.raises(ValueError, match="outside the picture"):
        extent([Blob("ball", (0, 0, 0), 5, ((-50, 20),))])
    with pytest.raises(ValueError, match="hat"):
        extent([Blob("ball", (0, 0, 0), 5, ((50, 20),))], frozenset({"hat"}))


SCENES = list(make_scenes(5, 24, narrated=True))
IMAGES = [scene.image for scene in SCENES]


def phrases(image: DatasetImage) -> list[str]:
    return [phrase(image, at) for at in range(len(image.mentions))]


def test_a_narration_has_about_150_words_and_40_phrases() -> None:
    assert 1 <= min(len(image.captions) for image in IMAGES) < max(len(image.captions) for image in IMAGES) <= 5
    captions = [caption for image in IMAGES for caption in image.captions]
    words = [sum(word != "." for word in caption.words) for caption in captions]
    counts = [own for image in IMAGES for own in Counter(one.caption for one in image.mentions).values()]
    assert fmean(words) == pytest.approx(150, abs=10) and fmean(counts) == pytest.approx(37, abs=3)
    assert (max(counts), max(len(image.mentions) for image in IMAGES)) <= (MOST_PHRASES_OF_CAPTION, MOST_PHRASES)
    assert not any(describe_excess(image, to_annotate=True) for image in IMAGES)


def test_pronouns_have_a_type_of_their_own_and_belong_to_chains_with_nouns() -> None:
    for image in IMAGES:
        nouns = {one.chain for one in image.mentions if one.types != ("pronoun",)}
        for mention, phrase in zip(image.mentions, phrases(image), strict=True):
            is_pronoun = may_be_mention([phrase.lower()])
            assert (mention.types == ("pronoun",)) is is_pronoun, phrase
            assert not is_pronoun or mention.chain in nouns
    assert 0.15 < fmean(one.types == ("pronoun",) for image in IMAGES for one in image.mentions) < 0.4


def test_parts_are_told_of_what_their_boxes_say_and_the_same_seed_tells_the_same() -> None:
    named = [phrase.lower() for image in IMAGES for phrase in phrases(image)]
    assert {"one of them", "the other"} <= set(named)
    for scene in SCENES:
        own = scene.image
        boxes = {chain.name: {box.box for box in own.boxes if chain.name in box.chains} for chain in own.chains}
        assert all(boxes[part] < boxes[whole] for part, whole in scene.parts)
    assert make_scene(5, 7, narrated=True) == SCENES[7]
    assert make_scene(6, 7, narrated=True).image.captions != SCENES[7].image.captions


def test_a_source_of_narrations_can_be_read_and_names_the_parts(tmp_path: Path) -> None:
    write_source(tmp_path / "told", 5, 2, pictures=False, narrated=True)
    read = list(read_flickr30k(tmp_path / "told"))
    assert [one.mentions for one in read if isinstance(one, DatasetImage)] == [one.mentions for one in IMAGES[:2]]
    parts = json.loads((tmp_path / "told" / PARTS).read_text())
    assert parts == {scene.image.name: [list(pair) for pair in scene.parts] for scene in SCENES[:2]}


def test_verbs_pronouns_and_articles_agree_with_what_they_belong_to() -> None:
    told = " ".join(caption.text.lower() for image in IMAGES for caption in image.captions)
    plural = r"(?:drums|flowers|apples|hats|children|men|women|dogs|ducks|they|these|those)"
    wrong = (
        rf"(?:\. |the ){plural} (?:is|wears|watches|looks|seems)\b",
        rf"\b(?:this|that|there is) {plural}\b",
        r"\b(?:the|this|that|these|those) (?:a|an|the|some|his|her)\b",
        r"\b(?:hats|dresses|traffic|lamps|baskets) (?:is|are) (?:having fun|looking)",
        r"\bin an? (?:\w+ )?(?:stage|hill|farm|street)\b",
        r"\bhis (?!hand\b)|\. her ",
    )
    assert {pattern: re.findall(pattern, told)[:3] for pattern in wrong} == {pattern: [] for pattern in wrong}


def test_it_writes_sentences_annotations_and_pictures_into_an_empty_folder(tmp_path: Path) -> None:
    write_source(tmp_path / "demo", 1, 2)
    with pytest.raises(TargetExists):
        write_source(tmp_path, 1, 1, pictures=False)
    with pytest.raises(ValueError, match="at least one"):
        write_source(tmp_path / "none", 1, 0)
    names = [make_scene(1, index).image.name for index in range(2)]
    for folder, suffix in (("Sentences", ".txt"), ("Annotations", ".xml"), ("images", ".jpg")):
        assert sorted(file.name for file in (tmp_path / "demo" / folder).iterdir()) == [name + suffix for name in names]
    with Image.open(tmp_path / "demo" / "images" / f"{names[0]}.jpg") as picture:
        assert picture.size == (1200, 800)


def known(image: DatasetImage | Problem) -> tuple[object, ...]:
    """All of an image that the format can hold; it keeps no order of boxes and chains."""
    assert isinstance(image, DatasetImage), str(image)
    captions = [(caption.text, caption.non_visual) for caption in image.captions]
    chains = {(chain.name, chain.scene, chain.no_box) for chain in image.chains}
    boxes = sorted((box.box, tuple(sorted(box.chains))) for box in image.boxes)
    return image.name, captions, image.mentions, len(image.chains), chains, boxes


def test_what_is_written_is_read_again_with_nothing_lost_and_no_pictures_if_none_are_wanted(tmp_path: Path) -> None:
    write_source(tmp_path / "texts", 1, 24, pictures=False)
    assert {file.name for file in (tmp_path / "texts").iterdir()} == {"Sentences", "Annotations"}
    read = [known(image) for image in read_flickr30k(tmp_path / "texts")]
    assert read == [known(make_scene(1, index).image) for index in range(24)]
