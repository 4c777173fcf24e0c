"""Majority is more than half of the votes, unanimity all of them."""

import pytest

from evaluation.foil.human.majority import MAJORITY, UNANIMITY, is_right


@pytest.mark.parametrize(
    ("votes", "majority", "unanimity"),
    [
        ([True, True, True], True, True),
        ([True, True, False], True, False),
        ([True, False, False], False, False),
        ([True, False], False, False),
        ([True], True, True),
        ([], False, False),
    ],
)
def test_right_votes_are_counted(votes: list[bool], *, majority: bool, unanimity: bool) -> None:
    assert (is_right(votes, MAJORITY), is_right(votes, UNANIMITY)) == (majority, unanimity)
