"""The blind model learns which words betray a foil, and nothing else."""

from evaluation.foil.item import CORRECT, FOIL, Item
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.models.blind import Blind, n_grams
from evaluation.foil.models.model import shown_captions

ITEMS = [
    Item(f"{i}#0", str(i), f"A dog {act} .", f"A cat {act} .", 1, "dog", "cat", "animal", "train")
    for i, act in enumerate(["sits", "runs", "eats", "waits"] * 5)
]


def fitted(lexicon: Lexicon) -> Blind:
    return Blind(shown_captions(ITEMS, CORRECT, tagged=False), shown_captions(ITEMS, FOIL, tagged=False), lexicon)


def test_a_word_that_is_always_wrong_is_told_found_and_mended(coco_words: Lexicon) -> None:
    model = fitted(coco_words)
    other = [Item("x#0", "x", "The dog here .", "The cat here .", 1, "dog", "cat", "animal", "test")]
    correct, foils = shown_captions(other, CORRECT, tagged=False), shown_captions(other, FOIL, tagged=False)
    assert (model.predict_t1(correct), model.predict_t1(foils)) == ([False], [True])
    assert model.predict_t2(foils, [[0, 1, 2]]) == [1]
    assert model.predict_t3(foils, [1]) == ["dog"]


def test_it_finds_nothing_where_there_is_no_place(coco_words: Lexicon) -> None:
    assert fitted(coco_words).predict_t2(shown_captions(ITEMS[:1], FOIL, tagged=False), [[]]) == [None]


def test_n_grams_have_up_to_three_words_and_stop_at_punctuation() -> None:
    assert n_grams(["A", "dog", ",", "Cat"]) == ["a", "dog", "cat", "a dog"]
    assert n_grams(["a", "b", "c", "d"])[-2:] == ["a b c", "b c d"]
