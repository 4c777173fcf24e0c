"""Logistic regression with a pull towards given logits."""

import numpy as np
import pytest

from pipeline.rules.linking.fits.logistic import fit_logistic


def test_a_weight_lies_where_the_facts_and_the_pull_balance() -> None:
    true = np.array([1.0] * 8 + [0.0] * 2)
    (weight,) = fit_logistic(np.ones((10, 1)), np.zeros(10), true, np.ones(10), l2=3.0)
    assert 8 - 10 / (1 + np.exp(-weight)) == pytest.approx(3.0 * weight, abs=1e-6)


def test_facts_that_the_logits_foretell_change_nothing() -> None:
    (weight,) = fit_logistic(np.ones((4, 1)), np.zeros(4), np.array([1.0, 1.0, 0.0, 0.0]), np.ones(4))
    assert weight == pytest.approx(0.0, abs=1e-9)


def test_a_fact_that_counts_twice_is_like_two_facts() -> None:
    twice = fit_logistic(np.ones((2, 1)), np.zeros(2), np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    two = fit_logistic(np.ones((3, 1)), np.zeros(3), np.array([1.0, 1.0, 0.0]), np.ones(3))
    assert twice == pytest.approx(two)


def test_it_ends_where_all_facts_agree() -> None:
    (weight,) = fit_logistic(np.full((50, 1), 9.0), np.full(50, -40.0), np.ones(50), np.ones(50))
    assert np.isfinite(weight) and weight > 0
