"""Targets: nouns of the lexicon, once in a caption, used by more than one person."""

import pytest

from evaluation.foil.making.caption_words import bare, pieces_of, tags_of
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.making.targets import is_salient, targets_of


def found(caption: str, lexicon: Lexicon) -> list[tuple[int, str, bool]]:
    (tags,) = tags_of([caption])
    return [(one.place, one.word.word, one.plural) for one in targets_of(pieces_of(caption), tags, lexicon)]


@pytest.mark.parametrize(
    ("caption", "targets"),
    [
        ("A dog sits.", [(1, "dog", False)]),
        ("Two Dogs, outside.", [(1, "dog", True)]),
        ("A man with skis stands.", [(3, "skis", True)]),
        ("Several sheep eat grass.", [(1, "sheep", True)]),
        ("A dog watches a bus.", [(1, "dog", False), (4, "bus", False)]),
    ],
)
def test_nouns_of_the_lexicon_are_targets(
    coco_words: Lexicon, caption: str, targets: list[tuple[int, str, bool]]
) -> None:
    assert found(caption, coco_words) == targets


@pytest.mark.parametrize(
    "caption",
    [
        "A man plays baseball.",
        "A man eats a hot dog.",
        "Two hot dogs on a plate.",
        "A teddy bear sits.",
        "A dog beside another dog.",
        "A dog and two dogs play.",
        "A dog sits by the dog's owner.",
        "They train hard every day.",
        "A dog-sled in the snow.",
    ],
)
def test_other_words_are_none(coco_words: Lexicon, caption: str) -> None:
    assert found(caption, coco_words) == []


def test_a_salient_word_stands_in_two_captions_in_any_form(coco_words: Lexicon) -> None:
    dog = coco_words.by_word["dog"]
    captions = [[bare(piece) for piece in text.split()] for text in ("A dog.", "Two dogs!", "A cat.", "A puppy.")]
    assert is_salient(dog, captions)
    assert not is_salient(dog, captions[1:])
    assert not is_salient(dog, [["dog", "dog"], ["cat"]])
