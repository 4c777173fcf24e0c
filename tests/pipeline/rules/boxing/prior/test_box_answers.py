"""The chances of answers, given what is true."""

from statistics import NormalDist

import pytest

from pipeline.rules.boxing.prior.box_answers import MOST_WRONG, NODES, SPREAD, drawing, error
from workers.rules.share import logit


@pytest.mark.parametrize("mean", [0.02, 0.116, 0.2])
def test_chains_differ_and_err_as_often_as_the_crowd_in_the_mean(mean: float) -> None:
    found = error(mean)
    assert found.mean() == pytest.approx(mean)
    assert len(found) == NODES and list(found) == sorted(set(found))
    step = SPREAD * NormalDist().inv_cdf(5 / 6)
    assert logit(found[2]) - logit(found[1]) == pytest.approx(step)
    assert logit(found[1]) - logit(found[0]) == pytest.approx(step)


def test_a_shift_moves_the_logit_of_every_error() -> None:
    careful, usual, careless = (error(0.1, shift) for shift in (-1.5, 0.0, 0.5))
    for place in range(NODES):
        assert logit(careful[place]) == pytest.approx(logit(usual[place]) - 1.5)
        assert logit(careless[place]) == pytest.approx(logit(usual[place]) + 0.5)


def test_no_answer_says_the_opposite() -> None:
    assert error(0.3, 3.0).max() == MOST_WRONG < 0.5


def test_a_worker_draws_well_or_badly_or_finds_none() -> None:
    chance = drawing(0.176, 0.5)
    assert chance.good + chance.bad + chance.none == pytest.approx(1)
    assert chance.needless == pytest.approx(1 - chance.good)
    assert (chance.none < chance.bad).all()


def test_what_is_shared_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        error(0.1)[0] = 0.5
