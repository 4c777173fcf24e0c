"""The human upper bound."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.content_selection.from_pictures import scene_of
from evaluation.content_selection.upper_bound import upper_bound
from evaluation.reading.entities import read_entities
from tests.evaluation.content_selection.test_score import FIGURE_2


def test_the_worked_example() -> None:
    assert upper_bound(FIGURE_2) == pytest.approx((0.857143, 0.857143, 0.837452), abs=1e-6)


def test_one_description_has_nobody_to_agree_with() -> None:
    assert upper_bound([{"1"}]) is None


def test_on_real_chains_precision_and_recall_of_an_image_are_equal(entities: Path) -> None:
    found = [upper_bound(scene_of(picture).gold) for picture in read_entities(entities)]
    values = np.array([one for one in found if one])
    assert np.abs(values[:, 0] - values[:, 1]).max() < 1e-12
    assert values.mean(axis=0) == pytest.approx((0.638, 0.638, 0.616), abs=0.001)
    assert values.std(axis=0) == pytest.approx((0.188, 0.188, 0.189), abs=0.001)
