"""The box-aware model: a noun without a box is wrong; detections are read by image."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.models.box_aware import BoxAware, read_detections
from evaluation.foil.models.model import Shown


def shown(caption: str, *nouns: int) -> Shown:
    pieces = tuple(caption.split())
    return Shown("a#0:foil", "a", pieces, tuple("NN" if i in nouns else "DT" for i in range(len(pieces))))


def model(lexicon: Lexicon, *categories: str) -> BoxAware:
    return BoxAware("box_aware", {"a": set(categories)}, lexicon)


def test_objects_without_a_box_make_a_foil(coco_words: Lexicon) -> None:
    right, wrong = shown("the dog with a ball", 1, 4), shown("the cat with a ball", 1, 4)
    own = model(coco_words, "dog", "sports ball", "person")
    assert own.predict_t1([right, wrong]) == [False, True]
    assert own.predict_t2([right, wrong], [[1, 4], [1, 4]]) == [None, 1]
    assert own.predict_t2([wrong], [[4]]) == [None]


def test_the_wrong_word_is_mended_by_a_box_that_the_caption_does_not_name(coco_words: Lexicon) -> None:
    wrong = shown("the cat with a ball", 1, 4)
    assert model(coco_words, "car", "dog", "sports ball").predict_t3([wrong], [1]) == ["dog"]
    assert model(coco_words, "car", "sports ball").predict_t3([wrong], [1]) == ["car"]
    assert model(coco_words, "sports ball").predict_t3([wrong], [1]) == [None]


def test_every_image_has_its_categories(lines: Callable[..., Path]) -> None:
    path = lines({"image": "a", "categories": ["dog", "dog", "cat"]}, {"image": "b", "categories": []})
    assert read_detections(path) == {"a": {"dog", "cat"}, "b": set()}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"image": "a", "categories": []}, "line 2: the image 'a' stands twice"),
        ({"image": "b", "categories": "dog"}, "line 2: the field 'categories' is not a list of names"),
        ({"image": "b"}, "line 2: the field 'categories' is missing"),
    ],
)
def test_a_bad_line_is_named(lines: Callable[..., Path], row: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_detections(lines({"image": "a", "categories": ["dog"]}, row))
    assert told in str(refused.value)
