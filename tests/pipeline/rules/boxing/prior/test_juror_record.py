"""A juror that was right more often says more."""

from dataclasses import replace

import pytest

from pipeline.rules.boxing.prior.juror_record import NOBODY_KNOWS, PERSON, JurorRecord
from pipeline.rules.jurors.tally import GUESSES, LEARNED

GOOD = JurorRecord(
    missing=(30.0, 2.0), there=(30.0, 2.0), good=(30.0, 2.0), bad={PERSON: (20.0, 1.0), "7": (3.0, 17.0)}
)


def test_a_juror_that_nobody_knows_says_nothing():
    assert NOBODY_KNOWS.of_missing() == NOBODY_KNOWS.of_box(PERSON) == GUESSES
    assert not JurorRecord(there=(LEARNED - 1, 0.0)).is_known and JurorRecord(there=(LEARNED, 0.0)).is_known


def test_errors_about_bad_boxes_are_those_about_boxes_of_the_same_source():
    assert GOOD.of_box("7").passed > 0.6 > 0.2 > GOOD.of_box(PERSON).passed
    assert GOOD.of_box("7").alarm <= 1 - GOOD.of_box("7").passed


def test_of_a_source_without_answers_all_answers_tell():
    assert GOOD.of_box("8").passed == pytest.approx(GOOD.wrong)


def test_an_error_nears_the_share_of_its_own_answers_as_they_grow():
    few, many = (JurorRecord(missing=(size * 2, size), there=(40.0, 0.0)).of_missing() for size in (1.0, 20.0))
    assert few.passed < many.passed < 1 / 3


def test_no_answer_says_the_opposite_of_what_it_says():
    worse = JurorRecord(missing=(5.0, 60.0), there=(5.0, 60.0)).of_missing()
    assert worse.passed + worse.alarm == pytest.approx(1)


def test_a_wary_project_takes_a_juror_for_blind_to_another_programs_errors_until_it_knows():
    plain, wary = (JurorRecord((95.0, 5.0), (95.0, 5.0), (95.0, 5.0), wary=wary) for wary in (False, True))
    assert plain.of_box("8").passed < 0.1 and wary.of_box("8").passed == pytest.approx(0.4)
    assert wary.of_box(PERSON) == plain.of_box(PERSON) and wary.of_missing() == plain.of_missing()
    seen = replace(wary, bad={"8": (95.0, 5.0)})
    assert seen.of_box("8").passed < 0.1


def test_of_boxes_of_its_own_family_it_says_nothing_until_answers_show_what_it_sees():
    blind, seeing = GOOD.of_box("8", akin=True), GOOD.of_box(PERSON, akin=True)
    assert blind.passed + blind.alarm == pytest.approx(1), "it calls bad boxes good as often as good ones"
    assert GOOD.of_box(PERSON).passed < seeing.passed < blind.passed
