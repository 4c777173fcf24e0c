"""Moments when a session on a platform may be handed in."""

from typing import Any

from platforms.rules.session_end import still_missing

BEGUN: dict[str, Any] = {
    "done": 0,
    "least": 2,
    "passed": False,
    "tested": False,
    "pays_tests": False,
    "nothing_open": False,
}


def test_it_may_with_the_assignments_that_it_needs():
    assert still_missing(**BEGUN | {"done": 2}) is None
    assert still_missing(**BEGUN | {"done": 3}) is None


def test_the_missing_assignments_are_asked_for_while_there_is_work():
    assert [still_missing(**BEGUN | {"done": done}) for done in (0, 1)] == [2, 1]


def test_where_nothing_more_is_open_what_was_done_is_enough():
    assert still_missing(**BEGUN | {"done": 1, "nothing_open": True}) is None


def test_a_passed_test_is_something_where_nothing_is_open():
    assert still_missing(**BEGUN | {"tested": True, "passed": True, "nothing_open": True}) is None
    assert still_missing(**BEGUN | {"tested": True, "passed": True})


def test_a_failed_test_is_paid_only_where_the_offer_says_so():
    failed = BEGUN | {"tested": True}
    assert still_missing(**failed | {"nothing_open": True}) == 0
    assert still_missing(**failed | {"pays_tests": True}) is None


def test_a_worker_who_did_nothing_gives_the_place_back():
    assert still_missing(**BEGUN | {"nothing_open": True}) == 0
