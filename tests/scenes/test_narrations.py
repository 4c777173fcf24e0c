"""Made-up narrations: long captions whose chains, pronouns and parts are known."""

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from annotation.bounds import MOST_PHRASES, MOST_PHRASES_OF_CAPTION
from annotation.rules.pronoun import may_be_mention
from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.import_image import beyond_bounds
from scenes.make import make_scene, make_scenes
from scenes.write import PARTS, write_source

SCENES = list(make_scenes(5, 24, narrated=True))
IMAGES = [scene.image for scene in SCENES]


def phrases(image: DatasetImage) -> list[str]:
    return [" ".join(image.captions[one.caption].words[one.start : one.end]) for one in image.mentions]


def test_a_narration_has_about_150_words_and_40_phrases() -> None:
    assert 1 <= min(len(image.captions) for image in IMAGES) < max(len(image.captions) for image in IMAGES) <= 5
    captions = [caption for image in IMAGES for caption in image.captions]
    words = [sum(word != "." for word in caption.words) for caption in captions]
    counts = [own for image in IMAGES for own in Counter(one.caption for one in image.mentions).values()]
    assert fmean(words) == pytest.approx(150, abs=10)
    assert fmean(counts) == pytest.approx(37, abs=3)
    assert (max(counts), max(len(image.mentions) for image in IMAGES)) <= (MOST_PHRASES_OF_CAPTION, MOST_PHRASES)
    assert not any(beyond_bounds(image, to_annotate=True) for image in IMAGES)


def test_pronouns_have_a_type_of_their_own_and_belong_to_chains_with_nouns() -> None:
    for image in IMAGES:
        nouns = {one.chain for one in image.mentions if one.types != ("pronoun",)}
        for mention, phrase in zip(image.mentions, phrases(image), strict=True):
            is_pronoun = may_be_mention([phrase.lower()])
            assert (mention.types == ("pronoun",)) is is_pronoun, phrase
            assert not is_pronoun or mention.chain in nouns
    assert 0.15 < fmean(one.types == ("pronoun",) for image in IMAGES for one in image.mentions) < 0.4


def test_parts_are_told_of_what_their_boxes_say() -> None:
    named = [phrase.lower() for image in IMAGES for phrase in phrases(image)]
    assert {"one of them", "the other"} <= set(named)
    for scene in SCENES:
        boxes = {
            chain.name: {box.box for box in scene.image.boxes if chain.name in box.chains}
            for chain in scene.image.chains
        }
        assert all(boxes[part] < boxes[whole] for part, whole in scene.parts)


def test_the_same_seed_tells_the_same_and_another_something_else() -> None:
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
