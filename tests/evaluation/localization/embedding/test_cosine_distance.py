"""Distances are 1 - cos, held between 0 and 1."""

import numpy as np
import pytest

from evaluation.localization.embedding.cosine_distance import cosine_distances


def test_angles_beyond_the_right_one_count_as_1() -> None:
    left = np.array([[1.0, 0], [0, 1]])
    right = np.array([[0.6, 0.8], [-1, 0]])
    assert cosine_distances(left, right) == pytest.approx(np.array([[0.4, 1], [0.2, 1]]), abs=1e-9)
