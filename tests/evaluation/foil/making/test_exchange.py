"""Targets, the foils that may stand for them, and the replacement."""

import pytest

from evaluation.foil.making.caption_words import bare, pieces_of, tags_of
from evaluation.foil.making.exchange import (
    Foils,
    Target,
    fits,
    is_salient,
    replaced,
    shown_words,
    takes_an,
    targets_of,
    word_of_category,
)
from evaluation.foil.making.lexicon import Lexicon, pairs_of

ANIMALS = {"bird", "cat", "dog", "horse", "sheep", "elephant", "bear", "zebra", "giraffe"}


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


def foils(lexicon: Lexicon, captions: list[str], categories: set[str]) -> set[str]:
    target = Target(1, lexicon.by_word["cow"], False)
    shown = shown_words(captions, categories, lexicon)
    return {word.word for word in Foils(lexicon, pairs_of(lexicon)).of(["the", "cow"], target, shown)}


def test_foils_are_of_the_super_category(coco_words: Lexicon) -> None:
    assert foils(coco_words, ["the cow"], set()) == ANIMALS


def test_a_word_of_any_caption_is_no_foil_in_any_form_or_under_another_name(coco_words: Lexicon) -> None:
    captions = ["the cow", "Two DOGS, a pony and the cat's tail"]
    assert foils(coco_words, captions, set()) == ANIMALS - {"dog", "horse", "cat"}


def test_a_category_of_a_box_is_no_foil(coco_words: Lexicon) -> None:
    assert foils(coco_words, ["the cow"], {"zebra", "hot dog", "teddy bear", "sports ball"}) == ANIMALS - {"zebra"}


def test_categories_are_known_by_their_last_word(coco_words: Lexicon) -> None:
    found = [word_of_category(name, coco_words) for name in ("sports ball", "dining table", "hot dog", "person", "")]
    assert found == ["ball", "table", None, None, None]


def test_only_allowed_pairs_give_foils(coco_words: Lexicon) -> None:
    target = Target(1, coco_words.by_word["cow"], False)
    found = Foils(coco_words, [("cow", "cat"), ("dog", "bear")]).of(["the", "cow"], target, set())
    assert [word.word for word in found] == ["cat"]
