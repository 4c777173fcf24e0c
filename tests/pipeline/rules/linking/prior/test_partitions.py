"""The ways in which mentions fall into chains: all of them, or the likeliest."""

import numpy as np

from pipeline.rules.linking.prior.partitions import Partitions, all_partitions, ruled_out_matrix

BELL = {1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203}


def free(mentions: int) -> np.ndarray:
    return np.zeros((mentions, mentions), dtype=bool)


def test_where_nothing_is_ruled_out_they_are_counted_by_bell_numbers() -> None:
    for mentions, ways in BELL.items():
        found = all_partitions(free(mentions), 1000)
        assert found is not None, mentions
        assert len(found.labels) == len(set(map(tuple, found.labels.tolist()))) == ways


def test_a_pair_that_is_ruled_out_is_never_together() -> None:
    ruled_out = ruled_out_matrix([0b010, 0b001, 0b000])
    found = all_partitions(ruled_out, 1000)
    assert found is not None and sorted(map(tuple, found.labels.tolist())) == [(0, 1, 0), (0, 1, 1), (0, 1, 2)]


def test_there_are_none_where_there_would_be_too_many() -> None:
    assert all_partitions(free(6), 202) is None


def test_pairs_sizes_and_blocks_follow_from_the_labels() -> None:
    known = Partitions(np.array([[0, 0, 1], [0, 1, 1], [0, 1, 2]], dtype=np.int16))
    assert [one.tolist() for one in known.pairs] == [[0, 0, 1], [1, 2, 2]]
    assert known.together.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert known.shares.tolist() == [[0.5, 0, 0], [0, 0, 0.5], [0, 0, 0]]
    assert known.sizes.tolist() == [[2, 2, 1], [1, 2, 2], [1, 1, 1]]
    assert list(zip(*(part.tolist() for part in known.firsts), strict=True)) == [
        *((0, 0), (0, 2)),
        *((1, 0), (1, 1)),
        *((2, 0), (2, 1), (2, 2)),
    ]
    assert known.places_of_sizes.tolist() == [1, 10, 0, 6, 0, 5, 10], "five sizes for each mention"
    numbers = known.numbers
    assert numbers[1, 0] == numbers[2, 0] != numbers[0, 0], "{0} has one number wherever it is a block"
    assert numbers[0, 2] == numbers[2, 2] and numbers[0, 0] == numbers[0, 1]
    assert len(set(numbers.ravel().tolist())) == 5
