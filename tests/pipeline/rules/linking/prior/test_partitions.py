"""The ways in which mentions fall into chains: all of them, or the likeliest."""

import numpy as np

from pipeline.rules.linking.prior.partitions import (
    all_partitions,
    ruled_out_matrix,
)

BELL = {1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203}


def free(mentions: int) -> np.ndarray:
    return np.zeros((mentions, mentions), dtype=bool)


def test_where_nothing_is_ruled_out_they_are_counted_by_bell_numbers() -> None:
    for mentions, ways in BELL.items():
        labels = all_partitions(free(mentions), 1000)
        assert labels is not None, mentions
        assert len(labels) == len({tuple(row) for row in labels.tolist()}) == ways


def test_a_pair_that_is_ruled_out_is_never_together() -> None:
    ruled_out = ruled_out_matrix([0b010, 0b001, 0b000])
    labels = all_partitions(ruled_out, 1000)
    assert labels is not None and sorted(map(tuple, labels.tolist())) == [(0, 1, 0), (0, 1, 1), (0, 1, 2)]


def test_there_are_none_where_there_would_be_too_many() -> None:
    assert all_partitions(free(6), 202) is None
