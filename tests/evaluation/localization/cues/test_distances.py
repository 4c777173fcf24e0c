"""Equations 1 to 3 on tables worked by hand."""

import numpy as np
import pytest

from evaluation.localization.cues.distances import (
    detector_or_embedding,
    shares,
    weight_of,
    with_color,
    with_detector,
    with_size,
)

EMBEDDING = np.array([0.3, 0.6, 0.5])


DETECTOR = np.array([0.9, 0.2, 0.5])


BASE = [0.2, 0.7, 0.5]
SIZE = np.array([0.1, 0.5, 0.2])
COLOR = np.array([0.25, 0.75, 1.0])


def close(values: object) -> object:
    return pytest.approx(values, abs=1e-9)


def test_equation_1() -> None:
    assert with_detector(EMBEDDING, DETECTOR) == close(BASE)
    assert with_detector(EMBEDDING, None) == close(EMBEDDING)
    assert detector_or_embedding(EMBEDDING, DETECTOR) == close([0.1, 0.8, 0.5])
    assert detector_or_embedding(EMBEDDING, None) == close(EMBEDDING)


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
