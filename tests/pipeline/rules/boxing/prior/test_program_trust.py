"""A program's boxes are trusted as far as workers called them good."""

from random import Random

import pytest

from pipeline.rules.boxing.prior.box_prior import BoxPrior, ProgramRecord
from pipeline.rules.boxing.prior.program_trust import Judged, ProgramBox, counted, trust_of

WRONG = 0.12


def judged(*said: bool, program: str = "7", score: float | None = None, shift: float = 0.0) -> ProgramBox:
    return ProgramBox(program, score, tuple(Judged(one, shift) for one in said))


def trust(boxes: list[ProgramBox], program: str = "7", score: float | None = None) -> float:
    return trust_of(program, score, BoxPrior(programs=counted(boxes, WRONG)))


def test_a_program_that_nobody_knows_is_right_half_of_the_time():
    assert trust([]) == 0.5
    assert trust([judged(True)] * 9, program="8") == 0.5


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_wrong_answers_make_no_program_look_better_or_worse(share: float):
    random = Random(f"boxes {share}")
    boxes = []
    for _ in range(600):
        good = random.random() < share
        boxes.append(judged(*((random.random() >= WRONG) == good for _ in range(random.choice((1, 1, 2))))))
    assert trust(boxes) == pytest.approx(share, abs=0.06)


def test_boxes_that_nobody_judged_tell_nothing():
    assert counted([judged()], WRONG) == {}
    assert trust([judged(True), judged()]) == trust([judged(True)])


def test_the_word_of_a_careful_worker_weighs_more():
    assert trust([judged(False, shift=-2.0)] * 3) < trust([judged(False, shift=2.0)] * 3) < 0.5


def test_a_program_is_trusted_by_its_scores():
    boxes = [judged(True, score=0.9)] * 20 + [judged(False, score=0.1)] * 20
    assert trust(boxes, score=0.95) > 0.8 > 0.3 > trust(boxes, score=0.05)
    assert trust(boxes, score=0.5) == pytest.approx(0.5, abs=0.05)
    assert trust(boxes, score=1.0) == trust(boxes, score=0.95)


def test_a_record_counts_every_judged_box_once():
    record = counted([judged(True), judged(False, False), judged(True, score=0.3)], WRONG)["7"]
    assert [g + b for g, b in zip(record.good, record.bad, strict=True)] == pytest.approx([0, 1, 0, 0, 0, 2], abs=0.02)
    assert isinstance(record, ProgramRecord)
