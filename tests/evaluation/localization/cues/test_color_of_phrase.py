"""Colour scores move only phrases that name one colour and are not about people."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.localization.cues.color_distance import with_color
from evaluation.localization.cues.color_of_phrase import COLORS, color_of_phrase
from evaluation.localization.cues.scorer import color_scores
from evaluation.localization.embedding.region_file import open_region_file
from evaluation.localization.queries import Query
from evaluation.reading.picture import Phrase
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
