"""Pairs: 472 of COCO's words, split 256 to 216."""

from collections import Counter

import numpy as np
import pytest

from evaluation.foil.making.lexicon import Lexicon, Word
from evaluation.foil.making.pairs import TEST, TRAIN, pairs_of, split_images, split_pairs


def test_cocos_words_make_472_pairs_within_super_categories(coco_words: Lexicon) -> None:
    pairs = pairs_of(coco_words)
    assert len(pairs) == len(set(pairs)) == 472
    kinds = {word.word: word.super_category for word in coco_words.words}
    assert all(target != foil and kinds[target] == kinds[foil] for target, foil in pairs)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_split_256_to_216_and_a_pair_stays_with_its_reverse(coco_words: Lexicon, seed: int) -> None:
    parts = split_pairs(pairs_of(coco_words), np.random.default_rng(seed))
    assert Counter(parts.values()) == {TRAIN: 256, TEST: 216}
    assert all(parts[foil, target] == part for (target, foil), part in parts.items())


def test_another_seed_splits_otherwise(coco_words: Lexicon) -> None:
    first, second, again = (split_pairs(pairs_of(coco_words), np.random.default_rng(seed)) for seed in (0, 1, 0))
    assert first == again != second


def test_words_for_the_same_thing_are_no_pair() -> None:
    words = tuple(Word(one, "people", one, f"{one}s") for one in ("man", "guy", "woman"))
    found = pairs_of(Lexicon(words, (), (frozenset({"man", "guy"}),)))
    assert found == [("man", "woman"), ("guy", "woman"), ("woman", "man"), ("woman", "guy")]


def test_images_are_split_in_the_papers_proportion() -> None:
    parts = split_images([str(one) for one in range(1000)], np.random.default_rng(0))
    assert Counter(parts.values()) == {TRAIN: 671, TEST: 329}
