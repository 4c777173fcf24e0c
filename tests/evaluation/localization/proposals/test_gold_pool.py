"""The gold pool holds each box once."""

from evaluation.localization.proposals.gold_pool import gold_pool


def test_the_gold_pool_has_each_box_once_the_largest_first() -> None:
    found = gold_pool([(0, 0, 2, 2), (5, 5, 9, 9), (0, 0, 2, 2), (1, 1, 3, 3)])
    assert found.tolist() == [[5, 5, 9, 9], [0, 0, 2, 2], [1, 1, 3, 3]]
    assert gold_pool([]).shape == (0, 4)
