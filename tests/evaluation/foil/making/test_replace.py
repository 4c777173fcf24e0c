"""Replacement: one whole word, its number, capitals and article."""

import pytest

from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.making.replace import fits, replaced, takes_an


@pytest.mark.parametrize(
    ("caption", "place", "form", "foil"),
    [
        ("A dog sits.", 1, "cat", "A cat sits."),
        ("Dogs, playing", 0, "cats", "Cats, playing"),
        ('A "TV".', 1, "laptop", 'A "LAPTOP".'),
        ("The (dog) barks", 1, "cat", "The (cat) barks"),
        ("baseball and a ball", 3, "bat", "baseball and a bat"),
    ],
)
def test_the_word_at_the_place_changes_alone(caption: str, place: int, form: str, foil: str) -> None:
    assert " ".join(replaced(caption.split(), place, form)) == foil


@pytest.mark.parametrize(
    ("caption", "target", "foil", "plural", "right"),
    [
        ("a dog", "dog", "cat", False, True),
        ("a dog", "dog", "elephant", False, False),
        ("An elephant", "elephant", "zebra", False, False),
        ("the dog", "dog", "elephant", False, True),
        ("the skis", "skis", "kite", True, True),
        ("the kite", "kite", "skis", False, False),
        ("the carrots", "carrot", "broccoli", True, False),
        ("the carrot", "carrot", "broccoli", False, True),
        ("a carrot", "carrot", "broccoli", False, False),
    ],
)
def test_a_foil_keeps_number_and_article(
    coco_words: Lexicon, caption: str, target: str, foil: str, *, plural: bool, right: bool
) -> None:
    words = coco_words.by_word
    assert fits(caption.split(), 1, words[target], words[foil], plural=plural) is right


def test_the_article_follows_the_sound() -> None:
    assert [word for word in ("apple", "unicorn", "umbrella", "hour", "horse", "one", "oven") if takes_an(word)] == [
        "apple", "umbrella", "hour", "oven",
    ]  # fmt: skip
