"""The share of chains that people judge by lot."""

from pipeline.rules.checking.lot_of_check import lot_of_check


def test_few_chains_need_a_larger_share_than_many():
    assert [lot_of_check(chains) for chains in (0, 100, 3_000, 6_000, 1_000_000)] == [0.2, 0.2, 0.2, 0.1, 0.03]
