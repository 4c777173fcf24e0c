"""Errors of jurors follow from chains that people judged whatever jurors said."""

from random import Random

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence
from pipeline.rules.boxing.fits.fit_jurors import fit_jurors, fit_pairs
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.boxing.prior.juror_record import PERSON
from pipeline.rules.jurors.turn import WINDOW
from pipeline.rules.tasks.task import Task

ONE = (0.02, 0.93, 0.05)
JUROR, PROGRAM = "70", "7"
COVERED = BoxAnswer(Task.BOX_COVERAGE, "all there", shown=(0,))


def quality(*, good: bool, juror: str | None = None, source: str = PERSON) -> BoxAnswer:
    return BoxAnswer(Task.BOX_QUALITY, "good" if good else "bad", box=0, juror=juror, source=source)


def chain(*, good: bool, says: bool, source: str = PERSON, people: int = 3) -> BoxEvidence:
    """One box, judged by people, who agree, and by the juror."""
    drew = BoxAnswer(Task.BOX_DRAWING, None, box=0, trust=None if source == PERSON else 0.5)
    return BoxEvidence(ONE, (drew, *[quality(good=good)] * people, quality(good=says, juror=JUROR, source=source)))


def chains(number: int, wrong: float, *, lot: bool = True, seed: int = 1) -> list[tuple[BoxEvidence, bool]]:
    draw = Random(seed)
    return [
        (chain(good=place % 2 == 0, says=(place % 2 == 0) != (draw.random() < wrong)), lot) for place in range(number)
    ]


def test_errors_are_found_about_good_and_bad_boxes():
    record = fit_jurors(chains(120, 0.1), DEFAULT)[JUROR]
    for right, wrong in (record.good, record.bad[PERSON]):
        assert 0.02 < wrong / (right + wrong) < 0.2


def test_a_program_that_sees_with_the_eyes_of_another_is_found_by_the_source_of_the_box():
    blind = [(chain(good=False, says=True, source=PROGRAM), True)] * 20
    both = Random(3).sample([*chains(80, 0.05), *blind], 100)
    record = fit_jurors(both, DEFAULT)[JUROR]
    assert record.of_box(PROGRAM).passed > 0.6 and record.of_box(PERSON).passed < 0.2


def test_only_the_lot_tells_how_often_it_errs():
    assert fit_jurors(chains(50, 0.5, lot=False), DEFAULT)[JUROR].answers == 0
    assert fit_jurors([], DEFAULT) == {}


def test_what_nobody_else_judged_tells_nothing():
    alone = BoxEvidence(ONE, (BoxAnswer(Task.BOX_DRAWING, None, box=0), quality(good=True, juror=JUROR)))
    assert fit_jurors([(alone, True)], DEFAULT) == {}


@pytest.mark.parametrize("lot", [True, False], ids=["in the lot", "outside the lot"])
def test_a_juror_that_turns_is_judged_by_what_it_said_since(*, lot: bool):
    before, after = chains(WINDOW, 0.05, lot=lot), chains(2 * WINDOW, 0.5, lot=lot, seed=2)
    record = fit_jurors([*before, *after], DEFAULT)[JUROR]
    assert record.answers <= 2 * WINDOW
    assert record.of_box(PERSON).alarm > 0.3


@pytest.mark.parametrize("alike", [False, True], ids=["apart", "alike"])
def test_two_jurors_are_apart_unless_they_err_about_the_same_boxes(*, alike: bool):
    draw = Random(2)

    def judged(place: int) -> BoxEvidence:
        errs = [draw.random() < 0.25, draw.random() < 0.25]
        says = [(place % 2 == 0) != wrong for wrong in ([errs[0]] * 2 if alike else errs)]
        one = chain(good=place % 2 == 0, says=says[0])
        return one._replace(answers=(*one.answers, quality(good=says[1], juror="8")))

    (pair,) = fit_pairs(((judged(place), True) for place in range(120)), DEFAULT).values()
    assert (pair.are_apart, pair.are_shared) == (not alike, alike)


def test_one_juror_is_no_pair():
    assert fit_pairs(chains(5, 0.1), DEFAULT) == {}
