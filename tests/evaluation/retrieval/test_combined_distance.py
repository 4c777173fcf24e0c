"""Equation 5 on a table worked by hand."""

import numpy as np
import pytest

from evaluation.retrieval.combined_distance import combined_distances


def test_equation_5() -> None:
    whole, regions = np.array([[0.5, 0.1]]), np.array([[0.2, 0.9]])
    assert combined_distances(whole, regions) == pytest.approx(np.array([[0.41, 0.34]]), abs=1e-9)
    assert combined_distances(whole, regions, 1) == pytest.approx(whole, abs=1e-9)
