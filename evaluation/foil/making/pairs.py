"""Pairs [paper Shekhar, Composition]: ordered pairs of target and foil in one super-category, split into two parts."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np

from evaluation.foil.making.lexicon import Lexicon

Thing = TypeVar("Thing", bound=Hashable)
Pair = tuple[str, str]
"""Target and foil, as words of the lexicon."""
TRAIN, TEST = "train", "test"
TRAIN_PAIRS, TEST_PAIRS = 256, 216
"""The numbers of pairs in the paper's parts; other lexicons are split in this proportion."""
TRAIN_IMAGES, TEST_IMAGES = 65_697, 32_150


def pairs_of(lexicon: Lexicon) -> list[Pair]:
    """Return the pairs in the order of the lexicon. Words that can name the same thing are not a pair."""
    return [
        (target.word, foil.word)
        for target in lexicon.words
        for foil in lexicon.words
        if target.word != foil.word
        and target.super_category == foil.super_category
        and not any({target.word, foil.word} <= group for group in lexicon.alike)
    ]


def split_pairs(pairs: Sequence[Pair], rng: np.random.Generator) -> dict[Pair, str]:
    """Return the part of each pair, 256 : 216 at random. A pair and its reverse are in the same part."""
    both = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))
    parts = _split(both, TRAIN_PAIRS, TEST_PAIRS, rng)
    return {pair: parts[min(pair), max(pair)] for pair in pairs}


def split_images(images: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Return the part of each image, at random in the proportion of the paper's images. No image is in both parts."""
    return _split(images, TRAIN_IMAGES, TEST_IMAGES, rng)


def _split(things: Sequence[Thing], train: int, test: int, rng: np.random.Generator) -> dict[Thing, str]:
    count = round(len(things) * train / (train + test))
    chosen = {int(one) for one in rng.permutation(len(things))[:count]}
    return {one: TRAIN if place in chosen else TEST for place, one in enumerate(things)}
