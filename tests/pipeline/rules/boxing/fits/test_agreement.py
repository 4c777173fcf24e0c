"""Agreement of programs: what one program's own boxes say of another program's."""

from dataclasses import replace

import pytest

from pipeline.rules.boxing.fits.agreement import Beside, agreement, counted_agreement
from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior, ProgramRecord
from pipeline.rules.boxing.prior.program_trust import NO_BOXES


def prior_with(*agreed: float) -> BoxPrior:
    return replace(DEFAULT, programs={"7": ProgramRecord(NO_BOXES, NO_BOXES, agreed=agreed)})


def test_an_unknown_program_makes_a_box_that_it_proposed_too_likelier():
    passed, alarm = agreement("7", DEFAULT)
    assert passed < 1 - alarm


def test_what_was_kept_and_dropped_says_how_much():
    good = [Beside("7", proposed=True, kept=True)] * 90 + [Beside("7", proposed=False, kept=True)] * 10
    bad = [Beside("7", proposed=True, kept=False)] * 2 + [Beside("7", proposed=False, kept=False)] * 48
    counts = counted_agreement([*good, *bad])
    assert counts == {"7": (90.0, 10.0, 2.0, 48.0)}
    passed, alarm = agreement("7", prior_with(*counts["7"]))
    assert passed == pytest.approx(2.8 / 58)
    assert alarm == pytest.approx(15 / 110)


def test_a_program_that_proposes_bad_boxes_as_often_as_good_ones_says_nothing():
    assert agreement("7", prior_with(30.0, 70.0, 80.0, 20.0)) == (0.5, 0.5)


def test_a_record_goes_to_json_and_back_and_names_a_wrong_one():
    prior = prior_with(9.0, 1.0, 0.0, 3.0)
    assert BoxPrior.from_json(prior.to_json()) == prior
    with pytest.raises(ValueError, match="4 numbers"):
        BoxPrior.from_json({"programs": {"7": {"good": NO_BOXES, "bad": NO_BOXES, "agreed": [1.0]}}})
