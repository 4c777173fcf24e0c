"""Equation 2 on a table worked by hand, shares of the picture, and weights by type."""

import numpy as np
import pytest

from evaluation.localization.cues.size_distance import shares, weight_of, with_size

SIZE = np.array([0.1, 0.5, 0.2])


BASE = [0.2, 0.7, 0.5]


def close(values: object) -> object:
    return pytest.approx(values, abs=1e-9)


def test_equation_2() -> None:
    assert with_size(np.array(BASE), SIZE, 0.2) == close([0.34, 0.66, 0.56])


def test_shares_of_the_picture() -> None:
    boxes = np.array([[0, 0, 10, 20], [5, 5, 10, 10], [-5, 0, 40, 20]])
    assert shares(boxes, 20, 20) == close([0.5, 0.0625, 1])


def test_a_phrase_of_two_types_has_the_weight_of_the_first() -> None:
    weights = {"scene": 0.2, "other": 0.4}
    assert weight_of(("scene", "other"), weights) == 0.2
    assert weight_of(("people",), weights) == 0.1
    assert weight_of((), weights) == 0.1
