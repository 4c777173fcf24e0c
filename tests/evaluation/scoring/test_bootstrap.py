"""Intervals by drawing images again."""

import numpy as np
import pytest

from evaluation.scoring.bootstrap import interval, resampled_shares, two_sided


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_the_interval_holds_the_spread_of_a_share() -> None:
    truth = np.random.default_rng(1).random((400, 1)) < 0.3
    drawn = resampled_shares(truth.astype(float), np.ones((400, 1)), rng(), 2000)
    low, high = interval(drawn)
    deviation = 100 * np.sqrt(0.3 * 0.7 / 400)
    assert low[0] < 100 * truth.mean() < high[0]
    assert high[0] - low[0] == pytest.approx(2 * 1.96 * deviation, rel=0.12)


def test_phrases_of_one_image_are_drawn_together() -> None:
    hits, sizes = np.array([[50.0], [0.0]]), np.array([[50.0], [50.0]])
    assert set(np.unique(resampled_shares(hits, sizes, rng(), 200))) == {0, 50, 100}


def test_the_same_seed_draws_the_same_images_for_two_models() -> None:
    hits = np.arange(20.0).reshape(10, 2)
    sizes = np.full((10, 2), 20.0)
    first, second = (resampled_shares(hits, sizes, rng(), 120) for _ in range(2))
    assert (first == second).all()
    low, high = interval(first - second)
    assert (low == 0).all() and (high == 0).all()


def test_a_difference_that_never_changes_its_sign_has_the_smallest_p() -> None:
    assert two_sided(np.array([[1.0, 0.0]] * 999)).tolist() == [0.002, 1.0]


def test_no_queries_give_no_share() -> None:
    assert resampled_shares(np.zeros((3, 1)), np.zeros((3, 1)), rng(), 4).tolist() == [[0.0]] * 4
