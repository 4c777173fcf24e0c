"""The tally of a survey."""

from pipeline.rules.tasks.survey import is_unanimous, majority


def test_three_votes_decide_and_a_tie_asks_once_more() -> None:
    decided = {"yyn": "y", "nyn": "n", "nnn": "n", "yynny": "y", "ynnn": "n"}
    expected = dict.fromkeys(("", "yy", "yynn")) | decided
    assert {votes: majority(votes, needed=3) for votes in expected} == expected


def test_one_vote_decides_where_one_is_needed() -> None:
    assert majority("y", needed=1) == "y"


def test_votes_are_unanimous_if_all_say_the_same() -> None:
    expected = {"": False, "y": True, "yyy": True, "yyn": False}
    assert {votes: is_unanimous(votes) for votes in expected} == expected
