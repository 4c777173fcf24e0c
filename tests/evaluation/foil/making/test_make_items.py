"""Sampling: by frequency a word is a foil at most as often as it is a target."""

from collections import Counter

import numpy as np

from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.making.make_items import FREQUENCY, UNIFORM, Stock, drawn


def test_foils_are_drawn_in_proportion_to_what_is_left(coco_words: Lexicon) -> None:
    dog, cat, cow = (coco_words.by_word[word] for word in ("dog", "cat", "cow"))
    stock = Stock(FREQUENCY)
    for word, count in ((dog, 3), (cat, 1)):
        for _ in range(count):
            stock.add([(word, False)])
    assert stock.weights([dog, cat, cow], plural=False).tolist() == [3, 1, 0]
    stock.take(cat, plural=False)
    assert stock.weights([dog, cat, cow], plural=False).tolist() == [3, 0, 0]
    assert stock.weights([dog], plural=True).tolist() == [0]


def test_the_targets_of_a_caption_count_as_one(coco_words: Lexicon) -> None:
    stock = Stock(FREQUENCY)
    stock.add([(coco_words.by_word["dog"], False), (coco_words.by_word["bus"], True)])
    assert stock.weights([coco_words.by_word["dog"]], plural=False).tolist() == [0.5]


def test_uniform_foils_are_never_used_up(coco_words: Lexicon) -> None:
    dog = coco_words.by_word["dog"]
    stock = Stock(UNIFORM)
    stock.take(dog, plural=False)
    assert stock.weights([dog, coco_words.by_word["cat"]], plural=False).tolist() == [1, 1]


def test_draws_follow_the_weights() -> None:
    rng = np.random.default_rng(0)
    found = Counter(drawn(np.array([3.0, 0.0, 1.0]), rng) for _ in range(4000))
    assert found[1] == 0
    assert abs(found[0] - 3000) < 150
