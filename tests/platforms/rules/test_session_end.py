"""Moments when a session on a platform may be handed in."""

from typing import Any

import pytest

from platforms.rules.session_end import why_not_yet

BEGUN: dict[str, Any] = {
    "done": 0,
    "least": 2,
    "passed": False,
    "tested": False,
    "pays_tests": False,
    "nothing_open": False,
}


def test_it_may_with_the_assignments_that_it_needs():
    assert not why_not_yet(**BEGUN | {"done": 2})
    assert not why_not_yet(**BEGUN | {"done": 3})


@pytest.mark.parametrize(("done", "words"), [(0, "2 more assignments"), (1, "1 more assignment first")])
def test_the_missing_assignments_are_asked_for_while_there_is_work(done: int, words: str):
    assert words in why_not_yet(**BEGUN | {"done": done})


def test_where_nothing_more_is_open_what_was_done_is_enough():
    assert not why_not_yet(**BEGUN | {"done": 1, "nothing_open": True})


def test_a_passed_test_is_something_where_nothing_is_open():
    assert not why_not_yet(**BEGUN | {"tested": True, "passed": True, "nothing_open": True})
    assert why_not_yet(**BEGUN | {"tested": True, "passed": True})


def test_a_failed_test_is_paid_only_where_the_offer_says_so():
    failed = BEGUN | {"tested": True}
    assert "nothing to hand in" in why_not_yet(**failed | {"nothing_open": True})
    assert not why_not_yet(**failed | {"pays_tests": True})


def test_a_worker_who_did_nothing_gives_the_place_back():
    assert "Give this place back" in why_not_yet(**BEGUN | {"nothing_open": True})
