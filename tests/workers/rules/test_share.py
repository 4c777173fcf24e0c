"""Wilson's interval, the logit and the sigmoid."""

import pytest

from workers.rules.share import logit, sigmoid, wilson_interval


def test_the_interval_is_wilsons():
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson_interval(0, 20)[0] == 0
    assert wilson_interval(20, 20)[1] == 1


def test_without_answers_the_interval_is_everything():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_the_sigmoid_of_a_logit_is_the_share():
    shares = [0.001, 0.25, 0.5, 0.824]
    assert [sigmoid(logit(share)) for share in shares] == pytest.approx(shares)


def test_the_logit_of_a_half_is_zero_and_of_a_certain_share_finite():
    assert logit(0.5) == 0
    assert logit(0.0) == pytest.approx(-20.7, abs=0.1)
    assert logit(1.0) == pytest.approx(20.7, abs=0.1)
