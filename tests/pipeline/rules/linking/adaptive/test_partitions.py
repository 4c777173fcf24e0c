"""The ways in which mentions fall into chains: all of them, or the likeliest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rules.linking.adaptive.partitions import (
    SIZES,
    Weights,
    all_partitions,
    likely_partitions,
    ruled_out_matrix,
)
from pipeline.rules.linking.adaptive.posterior import posterior

BELL = {1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203}


def free(mentions: int) -> np.ndarray:
    return np.zeros((mentions, mentions), dtype=bool)


@pytest.mark.parametrize(("mentions", "ways"), BELL.items())
def test_where_nothing_is_ruled_out_they_are_counted_by_bell_numbers(mentions: int, ways: int) -> None:
    labels = all_partitions(free(mentions), 1000)
    assert labels is not None and len(labels) == ways
    assert len({tuple(row) for row in labels.tolist()}) == ways


def test_a_pair_that_is_ruled_out_is_never_together() -> None:
    ruled_out = ruled_out_matrix([0b010, 0b001, 0b000])
    labels = all_partitions(ruled_out, 1000)
    assert labels is not None and sorted(map(tuple, labels.tolist())) == [(0, 1, 0), (0, 1, 1), (0, 1, 2)]


def test_there_are_none_where_there_would_be_too_many() -> None:
    assert all_partitions(free(6), 202) is None


@settings(max_examples=12)
@given(st.integers(2, 5), st.integers(0, 10_000))
def test_a_wide_beam_finds_them_all_and_a_narrow_one_the_likeliest(mentions: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    pairs, words = (np.triu(draw.normal(0, 2, (mentions, mentions)), 1) for _ in range(2))
    weights = Weights(pairs + pairs.T, words + words.T, draw.normal(0, 1, (mentions, SIZES)))
    ruled_out = np.triu(draw.random((mentions, mentions)) < 0.2, 1)
    ruled_out |= ruled_out.T
    every = all_partitions(ruled_out, 1000)
    assert every is not None
    wide = likely_partitions(ruled_out, weights, 1000)
    assert {tuple(row) for row in wide.tolist()} == {tuple(row) for row in every.tolist()}
    # The beam's own sums are those of the posterior: what it would keep of the last step is what is likeliest.
    best = posterior(every, weights)
    kept = {tuple(row) for row in likely_partitions(ruled_out, weights, len(every) - 1).tolist()}
    dropped = [chance for row, chance in zip(every.tolist(), best.chances, strict=True) if tuple(row) not in kept]
    assert len(dropped) == 1 and dropped[0] <= best.chances.min() + 1e-9
