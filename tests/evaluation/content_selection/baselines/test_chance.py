"""Chance by draws and by its closed form."""

import itertools

import numpy as np
import pytest

from evaluation.content_selection.baselines.chance import expected, random_scores
from evaluation.content_selection.score import scores_by_k

MEMBERS = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 1]], dtype=bool)
KS = (1, 2, 3, 9)


def test_the_closed_form_is_the_mean_over_all_orders() -> None:
    every = [scores_by_k(MEMBERS, np.array(order), KS) for order in itertools.permutations(range(4))]
    assert expected(MEMBERS, KS) == pytest.approx(np.mean(every, axis=0)[:, :2], abs=1e-12)


def test_draws_come_near_the_closed_form() -> None:
    drawn = random_scores(MEMBERS, KS, 4000, np.random.default_rng(1))
    error = drawn.std(axis=0, ddof=1)[:, :2] / np.sqrt(4000)
    assert (np.abs(drawn.mean(axis=0)[:, :2] - expected(MEMBERS, KS)) <= 3 * error + 1e-12).all()
