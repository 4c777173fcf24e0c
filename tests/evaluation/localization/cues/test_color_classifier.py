"""The classifier tells the colours of regions it has not seen."""

import numpy as np
import pytest

from evaluation.localization.cues.color_classifier import fit_color_classifier
from evaluation.localization.embedding.builtin_features import picture_maps, region_colors
from evaluation.localization.embedding.lab_histogram import BINS
from tests.support.localization_export import flat_picture


def test_the_classifier_tells_colours_of_boxes_and_its_scores_sum_to_one() -> None:
    paints = {"red": (200, 30, 30), "blue": (30, 40, 200), "green": (30, 160, 40)}
    lot = np.random.default_rng(1)
    rows, names = [], []
    for name, paint in paints.items():
        for _ in range(8):
            shade = tuple(int(value) for value in np.clip(np.array(paint) + lot.integers(-25, 25, 3), 0, 255))
            rows.append(region_colors(picture_maps(flat_picture(shade)), np.array([[0, 0, 30, 30]]))[0])
            names.append(name)
    model = fit_color_classifier(np.array(rows)[::2], names[::2])
    assert model is not None
    scores = model.scores(np.array(rows)[1::2])
    assert scores.sum(axis=1) == pytest.approx(np.ones(12))
    assert [model.colors[place] for place in scores.argmax(axis=1)] == names[1::2]
    assert model.column("purple", np.array(rows)) is None


def test_two_colours_are_told_apart_and_one_is_no_choice() -> None:
    rows = np.zeros((4, BINS))
    rows[[0, 1, 2, 3], [9, 10, 200, 201]] = 1
    model = fit_color_classifier(rows, ["red", "red", "blue", "blue"])
    assert model is not None
    assert (model.scores(rows).argmax(axis=1) == [1, 1, 0, 0]).all()
    assert fit_color_classifier(rows[:2], ["red", "red"]) is None
