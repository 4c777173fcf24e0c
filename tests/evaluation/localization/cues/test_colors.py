"""The colour of a phrase moves its scores; the classifier tells the colours of regions it has not seen."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.localization.cues.colors import COLORS, color_of_phrase, fit_color_classifier
from evaluation.localization.cues.distances import with_color
from evaluation.localization.cues.scorer import color_scores
from evaluation.localization.embedding.builtin_features import BINS, picture_maps, region_colors
from evaluation.localization.embedding.region_file import open_region_file
from evaluation.localization.queries import Query
from evaluation.reading.picture import Phrase
from tests.support.localization_export import flat_picture
from tests.support.region_file import write_region_file

BOXES = np.array([[0.0, 0, 10, 10], [5, 5, 20, 20]])


@pytest.mark.parametrize(
    ("words", "types", "color"),
    [
        ("a red hat", ("clothing",), "red"),
        ("a Gray hat", ("clothing",), "grey"),
        ("a red and white hat", ("clothing",), None),
        ("a red , red hat", ("clothing",), None),
        ("a hat", ("clothing",), None),
        ("a black man", ("people",), None),
        ("a man in red", ("clothing", "people"), None),
        ("a reddish hat", ("clothing",), None),
    ],
)
def test_the_colour_of_a_phrase(words: str, types: tuple[str, ...], color: str | None) -> None:
    assert color_of_phrase(words.split(), types) == color


@pytest.mark.parametrize(("words", "types"), [("a hat", ("clothing",)), ("a black man", ("people",))])
def test_phrases_without_colour_or_about_people_are_unmoved_by_colour_scores(
    words: str, types: tuple[str, ...], tmp_path: Path
) -> None:
    write_region_file(tmp_path / "c.npz", {"one": (BOXES, np.random.default_rng(0).random((2, 11)))}, COLORS)
    phrase = Phrase(0, 0, 0, tuple(words.split()), "1", types)
    query = Query("one", (20, 20), phrase, (0, 0, 10, 10))
    base, sizes = np.array([0.4, 0.5]), np.array([0.25, 0.5625])
    with open_region_file(tmp_path / "c.npz", scores=True) as file:
        scores = color_scores(file, query, BOXES, None)
        full = with_color(base, sizes, scores, size_weight=0.1, color_weight=0.4)
        assert full == pytest.approx([0.9 * 0.4 + 0.1 * 0.75, 0.9 * 0.5 + 0.1 * 0.4375], abs=1e-9)
        hat = Query("one", (20, 20), Phrase(0, 0, 0, ("black", "hat"), "1", ("clothing",)), (0, 0, 10, 10))
        assert color_scores(file, hat, BOXES, None) is not None


@pytest.mark.slow
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
