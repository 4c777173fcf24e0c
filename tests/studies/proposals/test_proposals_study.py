"""The study of proposals on images small enough to check."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Box, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.box import iou
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.rules.tasks.task import Task
from simulation.view import GoldImage
from studies.management.commands.proposals_study import Command
from studies.proposals.model import predicted_boxes
from studies.proposals.study import compare, table
from tests.support.projects import phrases

GOLD = GoldImage.make(
    "1",
    200,
    100,
    [
        {"name": "man", "mentions": [0], "scene": False, "boxes": [[10, 10, 60, 90], [100, 10, 150, 90]]},
        {"name": "park", "mentions": [1], "scene": True, "boxes": []},
    ],
)


def image(name: str) -> DatasetImage:
    """A man, called by two names, and his hat."""
    boxes = [DatasetBox(BoxValue(10, 10, 60, 90), ("man",)), DatasetBox(BoxValue(20, 10, 40, 20), ("hat",))]
    texts = ("people: a man", "people: the tall man", "clothing: a hat")
    return phrases(*texts, name=name, chains=["man", "man", "hat"], boxes=boxes)


def overlaps(share: float) -> list[float]:
    rows = [predicted_boxes(GOLD, [0], share, seed) for seed in range(30)]
    gold = [BoxValue(10, 10, 60, 90), BoxValue(100, 10, 150, 90)]
    return [iou(BoxValue(*row[1:]), gold[place]) for own in rows for place, row in enumerate(own)]


def test_good_boxes_of_the_model_are_good_and_bad_ones_are_not() -> None:
    assert min(overlaps(1.0)) >= 0.65
    assert max(overlaps(0.0)) < 0.5


def test_the_share_of_good_boxes_is_that_which_was_asked_for() -> None:
    assert sum(one >= 0.5 for one in overlaps(0.7)) / 60 == pytest.approx(0.7, abs=0.15)


def test_the_model_never_abstains() -> None:
    assert predicted_boxes(GOLD, [1], 0.9, 0) == [[1, 50, 25, 150, 75]]


@pytest.mark.django_db
def test_a_perfect_model_saves_drawings_and_worker_time_and_leaves_nothing_behind() -> None:
    found = compare([image(str(number)) for number in range(3)], [1.0], [0])
    drawn, proposed = found[None], found[1.0]
    assert proposed.accepted > 0
    assert proposed.judgments[Task.BOX_DRAWING.value] < drawn.judgments[Task.BOX_DRAWING.value]
    assert proposed.seconds < drawn.seconds
    assert drawn.gold == proposed.gold == 6
    assert not Box.objects.exists(), "each run is undone"
    assert Project.objects.count() == 1
    assert "| 100% | " in table(found)


@pytest.mark.parametrize("wrong", [{"images": 0}, {"seeds": 0}, {"good": [1.5]}])
def test_figures_from_which_nothing_follows_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(CommandError, match="at least 1 image"):
        call_command(Command(), "nowhere", **wrong)
