"""The study of predictions, in a small size: it compares what was predicted with what the campaign took."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from simulation.predict.estimate import Estimate
from studies.predict.compared import FIGURES, Compared, add_rows, read_rows, table
from studies.predict.predict_study import PLANS, study
from tests.support.flows import begin_ids_anew
from tests.support.projects import phrases

pytestmark = pytest.mark.django_db
IMAGES = [
    phrases(
        "people: a man", "people: the tall man", "clothing: a hat", name=str(number), chains=["man", "man", "hat"],
        boxes=[DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(100, 10, 140, 40), ("hat",))],
    )
    for number in range(6)
]  # fmt: skip


@pytest.fixture(autouse=True)
def same_ids(db: None) -> None:
    begin_ids_anew()


def test_it_compares_every_figure_before_the_start_and_at_half() -> None:
    (found,) = study(IMAGES, runs=1, size=6, sample=4, plans=PLANS[:1], restore=False)
    assert [(one.when, one.figure) for one in found] == [(w, f) for w in ("before", "at half") for f in FIGURES]
    judgments, cents, exact = found[3:]
    assert judgments.reached >= 60 and cents.reached > 0 and exact.reached == 1.0
    # At half the answers about every second image are there.
    assert abs(judgments.error) < 0.25 and judgments.predicted.low > judgments.reached / 2
    text = table(found)
    assert "without errors" in text and "at half  exact" in text and "1 of 1" in text


def test_a_wrong_prediction_is_not_called_right() -> None:
    one = Compared("without errors", 0, "before", "judgments", Estimate(100.0, 90.0, 110.0), 100.0)
    assert one.is_near and "1 of 1    1 of 1" in table([one])
    wrong = replace(one, reached=1000.0)
    assert not wrong.predicted.holds(wrong.reached) and wrong.error < -0.8 and "0 of 1    0 of 1" in table([wrong])
    points = replace(one, figure="exact", predicted=Estimate(0.9, 0.85, 0.95), reached=0.86)
    assert not points.is_near and "+4.0 pts" in table([points]) and "± 5.0 pts" in table([points])


def test_a_study_goes_on_where_it_ended_and_refuses_the_file_of_another_one(tmp_path: Path) -> None:
    file, common = tmp_path / "kept.jsonl", {"images": 4, "sample": 4}
    assert read_rows(file, common) == []
    (rows,) = study(IMAGES, runs=1, size=4, sample=4, plans=PLANS[:1], restore=False)
    add_rows(file, common, rows)
    assert read_rows(file, common) == rows
    there = {(one.crowd, one.run) for one in read_rows(file, common)}
    assert there == {("without errors", 0)}
    assert list(study(IMAGES, runs=1, size=4, sample=4, plans=PLANS[:1], restore=False, there=there)) == []
    with pytest.raises(ValueError, match="belongs to another study"):
        read_rows(file, {"images": 80, "sample": 4})


def test_too_few_images_are_refused() -> None:
    with pytest.raises(ValueError, match="a size from 4 to 6"):
        list(study(IMAGES, runs=1, size=7, sample=4))
