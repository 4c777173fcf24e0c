"""Equation 1 on a table worked by hand, and detectors alone."""

import numpy as np
import pytest

from evaluation.localization.cues.detector_distance import detector_or_embedding, with_detector

EMBEDDING = np.array([0.3, 0.6, 0.5])


DETECTOR = np.array([0.9, 0.2, 0.5])


BASE = [0.2, 0.7, 0.5]


def close(values: object) -> object:
    return pytest.approx(values, abs=1e-9)


def test_equation_1() -> None:
    assert with_detector(EMBEDDING, DETECTOR) == close(BASE)
    assert with_detector(EMBEDDING, None) == close(EMBEDDING)
    assert detector_or_embedding(EMBEDDING, DETECTOR) == close([0.1, 0.8, 0.5])
    assert detector_or_embedding(EMBEDDING, None) == close(EMBEDDING)
