"""The hardest foil has the lowest loss; trigrams are worked out by hand."""

from math import log

import pytest

from evaluation.foil.making.losses import Trigram, hardest


def test_the_lowest_loss_is_chosen_and_the_first_of_equal_ones() -> None:
    assert hardest([2.0, 1.5, 3.0, 1.5]) == 1


def test_a_loss_is_the_mean_over_words_and_the_end() -> None:
    model = Trigram([["a", "dog"], ["a", "cat"]])
    # Words: a, dog, cat, the end, and one for all others: 5.
    seen = -(log(3 / 7) + log(2 / 7) + log(2 / 6)) / 3
    other = -(log(3 / 7) + log(1 / 7) + log(1 / 5)) / 3
    assert model.losses("any", [["a", "dog"], ["a", "cow"]]) == pytest.approx([seen, other])


def test_more_likely_captions_lose_less() -> None:
    model = Trigram([["a", "man", "rides", "a", "horse"]] * 9 + [["a", "man", "rides", "a", "bus"]])
    horse, bus, cow = model.losses("any", [["a", "man", "rides", "a", word] for word in ("horse", "bus", "cow")])
    assert horse < bus < cow
