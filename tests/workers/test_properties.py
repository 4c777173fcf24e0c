"""The places of verification questions, counted over thousands of questions."""

import pytest

from tests.workers.rules.test_skill import numbers
from workers.rules.verification_rate import odds, places


@pytest.mark.parametrize("batch", [5, 10])
@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_the_rate_is_exact_within_five_percent_over_ten_thousand_questions(rate: float, batch: int):
    found = numbers("worker 7", rate, batch, 10_000)
    assert len(found) == pytest.approx(10_000 * rate, rel=0.05)


@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_no_place_is_ever_certain_or_impossible(rate: float):
    every = [odds(asked, verified, rate) for asked in range(0, 5000, 50) for verified in range(0, asked, 7)]
    assert (min(every), max(every)) == (rate / 4, 2 * rate)


def test_every_place_of_the_first_batch_is_drawn_as_often_as_any_other():
    drawn = [place for seed in range(1000) for place in places(str(seed), asked=0, verified=0, size=5, rate=0.2)]
    for place in range(5):
        assert drawn.count(place) == pytest.approx(200, abs=63)  # five standard deviations
