"""Colours in Lab, and histograms of them."""

import numpy as np
import pytest

from evaluation.localization.embedding.lab_histogram import histogram, lab


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        ((255, 255, 255), (100, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
        ((128, 128, 128), (53.59, 0, 0)),
    ],
)
def test_known_colours_in_lab(color: tuple[int, int, int], expected: tuple[float, float, float]) -> None:
    assert lab(np.array([[color]], dtype=np.uint8))[0, 0] == pytest.approx(expected, abs=0.02)


def test_a_histogram_without_weight_is_zero() -> None:
    assert not histogram(np.zeros((2, 2), dtype=np.int64), np.zeros((2, 2))).any()
