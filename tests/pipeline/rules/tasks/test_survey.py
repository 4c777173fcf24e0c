"""The tally of a survey."""

import pytest

from pipeline.rules.tasks.survey import is_unanimous, majority


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [("", None), ("yy", None), ("yyn", "y"), ("nyn", "n"), ("nnn", "n"), ("yynn", None), ("yynny", "y"), ("ynnn", "n")],
)
def test_three_votes_decide_and_a_tie_asks_once_more(votes: str, verdict: str | None) -> None:
    assert majority(votes, needed=3) == verdict


def test_one_vote_decides_where_one_is_needed() -> None:
    assert majority("y", needed=1) == "y"


@pytest.mark.parametrize(("votes", "unanimous"), [("", False), ("y", True), ("yyy", True), ("yyn", False)])
def test_votes_are_unanimous_if_all_say_the_same(votes: str, unanimous: bool) -> None:
    assert is_unanimous(votes) is unanimous
