"""The places of verification questions in an assignment."""

import pytest

from workers.rules.verification_rate import odds, places


def numbers(seed: str, rate: float, batch: int, total: int) -> list[int]:
    """The numbers of the verification questions among the first `total`."""
    found: list[int] = []
    for asked in range(0, total, batch):
        found += [asked + place for place in places(seed, asked=asked, verified=len(found), size=batch, rate=rate)]
    return found


def test_the_same_places_are_drawn_however_the_questions_are_batched():
    assert numbers("worker 7", 0.2, 5, 200) == numbers("worker 7", 0.2, 10, 200)


def test_workers_and_seeds_have_places_of_their_own():
    assert numbers("worker 7", 0.2, 10, 100) != numbers("worker 8", 0.2, 10, 100)


def test_on_probation_every_place_is_known_and_without_a_stock_none():
    assert places("s", asked=13, verified=2, size=5, rate=1) == (0, 1, 2, 3, 4)
    assert places("s", asked=13, verified=2, size=5, rate=0) == ()


def test_what_was_missed_leans_the_odds_and_what_was_too_much_leans_them_back():
    assert odds(100, 2, 0.02) == 0.02
    assert odds(200, 2, 0.02) == pytest.approx(0.03)
    assert odds(100, 3, 0.02) == pytest.approx(0.015)


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_rate_that_is_no_share_is_refused(rate: float):
    with pytest.raises(ValueError, match="from 0 to 1"):
        places("s", asked=0, verified=0, size=5, rate=rate)
