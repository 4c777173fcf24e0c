"""Simulated programs: how often they err, and that one state has one answer."""

from typing import Any

import pytest

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState
from pipeline.rules.boxing.prior.juror_record import JurorRecord
from pipeline.rules.linking.prior.link_record import LinkRecord
from pipeline.rules.progress.progress import BoxProgress, ChainProgress, ImageProgress
from pipeline.rules.tasks.task import Task
from simulation.simulated_juror import SimulatedJuror
from simulation.simulated_proposer import SimulatedProposer
from simulation.view import COVERED, GoldChain, GoldImage, View

BOX, APART = Box(10, 10, 60, 60), Box(100, 10, 150, 60)
TIMES = 600


def view(task: Task, image: int, *, drawn: Box = BOX, subject: tuple[int, ...] = (0, 0)) -> View:
    """Return a question about an image whose first two phrases are a chain with one box, and whose third is apart."""
    chains = (GoldChain("a", (0, 1), False, (BOX,)), GoldChain("b", (2,), False, (BOX,)))
    gold = GoldImage(str(image), 200, 100, chains, {number: one for one in chains for number in one.mentions})
    boxes = {0: BoxProgress(0, 0, drawn, BoxState.PENDING, 1, 1)}
    progress = ImageProgress(chains={0: ChainProgress(0, [0, 1], representative=0)}, boxes=boxes)
    return View(task, 1, list(subject), progress, gold)


def share(juror: SimulatedJuror, answer: Any, task: Task, **about: Any) -> float:
    return sum(juror.answer(view(task, number, **about), seed=1) == answer for number in range(TIMES)) / TIMES


@pytest.mark.parametrize(
    ("task", "right", "about"),
    [
        (Task.COREFERENCE_LINK, "same", {"subject": (0, 1)}),
        (Task.COREFERENCE_LINK, "different", {"subject": (0, 2)}),
        (Task.BOX_REQUIREMENT, 1, {}),
        (Task.BOX_QUALITY, "good", {}),
        (Task.BOX_QUALITY, "bad", {"drawn": APART}),
        (Task.BOX_COVERAGE, "more needed", {}),
    ],
)
def test_a_program_that_was_not_measured_errs_in_the_assumed_share(task: Task, right: Any, about: Any) -> None:
    assert share(SimulatedJuror("one", 0.0), right, task, **about) == 1.0
    assert share(SimulatedJuror("one", 0.2), right, task, **about) == pytest.approx(0.8, abs=0.05)


def test_a_measured_program_errs_as_it_was_measured() -> None:
    boxes = JurorRecord(good=(100.0, 0.0), bad={"person": (50.0, 50.0)})
    juror = SimulatedJuror("one", 0.0, boxes, LinkRecord((90.0, 10.0), (90.0, 10.0)))
    assert juror.said == "one: wrong in 25% about boxes and 10% about links, as measured"
    assert share(juror, "good", Task.BOX_QUALITY) > 0.97
    assert share(juror, "bad", Task.BOX_QUALITY, drawn=APART) == pytest.approx(0.52, abs=0.06)
    assert share(juror, "same", Task.COREFERENCE_LINK, subject=(0, 1)) == pytest.approx(0.9, abs=0.05)


def test_the_same_state_has_one_answer_and_programs_err_apart() -> None:
    one, other = SimulatedJuror("one", 0.5), SimulatedJuror("other", 0.5)
    asked = [view(Task.BOX_QUALITY, number) for number in range(60)]
    said = [[juror.answer(each, 1) for each in asked] for juror in (one, one, other)]
    assert said[0] == said[1] != said[2]


def test_about_a_share_of_proposed_boxes_is_good() -> None:
    chains = (GoldChain("a", (0, 1), False, (BOX, APART)), GoldChain("b", (2,), True, ()))
    images = [GoldImage(str(number), 200, 100, chains) for number in range(300)]
    for good in (0.0, 0.7, 1.0):
        rows = [row for image in images for row in SimulatedProposer(good).rows(image, 1)]
        first = [Box(*row[1:]) for row in rows if row[0] == 0]
        found = sum(any(iou(box, true) >= COVERED for true in (BOX, APART)) for box in first) / 600
        assert len(first) == 600 and found == pytest.approx(good, abs=0.05)
        assert sum(row[0] == 2 for row in rows) / 300 == pytest.approx(1 - good, abs=0.07)
