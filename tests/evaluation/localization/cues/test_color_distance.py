"""Equation 3 on a table worked by hand; without its weights, equation 1 is left."""

import numpy as np
import pytest

from evaluation.localization.cues.color_distance import with_color
from evaluation.localization.cues.size_distance import with_size

EMBEDDING = np.array([0.3, 0.6, 0.5])


SIZE = np.array([0.1, 0.5, 0.2])


COLOR = np.array([0.25, 0.75, 1.0])


BASE = [0.2, 0.7, 0.5]


def close(values: object) -> object:
    return pytest.approx(values, abs=1e-9)


def test_equation_3() -> None:
    full = with_color(np.array(BASE), SIZE, COLOR, size_weight=0.1, color_weight=0.3)
    assert full == close([0.435, 0.545, 0.38])


def test_weights_of_zero_leave_equation_1() -> None:
    assert with_size(np.array(BASE), SIZE, 0) == close(BASE)
    assert with_color(np.array(BASE), SIZE, COLOR, size_weight=0, color_weight=0) == close(BASE)


def test_without_colour_scores_equation_2_is_left_whatever_the_weight() -> None:
    for weight in (0, 0.3, 0.9):
        full = with_color(np.array(BASE), SIZE, None, size_weight=0.2, color_weight=weight)
        assert full == close([0.34, 0.66, 0.56])


def test_weights_above_one_are_refused() -> None:
    with pytest.raises(ValueError, match="sum to more than 1"):
        with_color(EMBEDDING, SIZE, COLOR, size_weight=0.6, color_weight=0.5)
