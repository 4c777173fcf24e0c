"""The study of predictions, in a small size: it compares what was predicted with what the campaign took."""

from dataclasses import replace

import pytest

from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from studies.predict.predict_study import FIGURES, PLANS, study, table
from tests.support.projects import phrases

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db]
IMAGES = [
    phrases(
        "people: a man", "people: the tall man", "clothing: a hat", name=str(number), chains=["man", "man", "hat"],
        boxes=[DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(100, 10, 140, 40), ("hat",))],
    )
    for number in range(6)
]  # fmt: skip


def test_it_compares_every_figure_before_the_start_and_at_half() -> None:
    found = list(study(IMAGES, runs=1, size=6, sample=4, plans=PLANS[:1], restore=False))
    assert [(one.when, one.figure) for one in found] == [(w, f) for w in ("before", "at half") for f in FIGURES]
    judgments, cents, exact = found[3:]
    assert judgments.reached >= 60 and cents.reached > 0 and exact.reached == 1.0
    # At half every second image is known, and a perfect crowd gives the same answers again.
    assert abs(judgments.error) < 0.25 and judgments.predicted.width < found[0].predicted.width
    text = table(found)
    assert "without errors" in text and "at half  exact" in text and "1 of 1" in text


def test_a_wrong_prediction_is_not_called_right() -> None:
    one = next(study(IMAGES, runs=1, size=4, sample=4, plans=PLANS[:1], restore=False))
    wrong = replace(one, reached=10 * one.reached)
    assert not wrong.predicted.holds(wrong.reached) and wrong.error < -0.8 and "0 of 1" in table([wrong])


def test_too_few_images_are_refused() -> None:
    with pytest.raises(ValueError, match="a size from 4 to 6"):
        list(study(IMAGES, runs=1, size=7, sample=4))
