"""Folds keep pairs and images together."""

import numpy as np
import pytest

from evaluation.foil.item import Item
from evaluation.foil.tasks.folds import GROUPS, folds_of

WORDS = ("dog", "cat", "cow", "bear")
ITEMS = [
    Item(f"{i}#0", f"image{i % 7}", "a x", "a y", 1, target, foil, "animal", "train")
    for i, (target, foil) in enumerate([(a, b) for a in WORDS for b in WORDS if a != b] * 4)
]


@pytest.mark.parametrize("group", GROUPS)
def test_items_of_a_group_are_in_one_fold(group: str) -> None:
    folds = folds_of(ITEMS, group, 3, np.random.default_rng(0))
    assert set(folds.tolist()) == {0, 1, 2}
    for item, fold in zip(ITEMS, folds, strict=True):
        same = [GROUPS[group](other) == GROUPS[group](item) for other in ITEMS]
        assert set(folds[same].tolist()) == {fold}


def test_a_pair_and_its_reverse_are_one_unordered_pair() -> None:
    names = {GROUPS["unordered_pair"](item) for item in ITEMS}
    assert len(names) == 6
    assert len({GROUPS["pair"](item) for item in ITEMS}) == 12
