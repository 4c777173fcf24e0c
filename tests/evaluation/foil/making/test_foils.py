"""Foils: of the target's super-category, and nowhere in the image."""

from evaluation.foil.making.foils import Foils, shown_words, word_of_category
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.making.pairs import pairs_of
from evaluation.foil.making.targets import Target


def foils(lexicon: Lexicon, captions: list[str], categories: set[str]) -> set[str]:
    target = Target(1, lexicon.by_word["cow"], False)
    shown = shown_words(captions, categories, lexicon)
    return {word.word for word in Foils(lexicon, pairs_of(lexicon)).of(["the", "cow"], target, shown)}


ANIMALS = {"bird", "cat", "dog", "horse", "sheep", "elephant", "bear", "zebra", "giraffe"}


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
