"""Errors of programs that judge links follow from pairs that people judged whatever programs said."""

from functools import cache
from random import Random

import pytest

from pipeline.rules.jurors.turn import WINDOW
from pipeline.rules.linking.adaptive.answer_model import OF_PAPER
from pipeline.rules.linking.fits.fit_link_jurors import fit_link_jurors, fit_link_pairs
from pipeline.rules.linking.fits.refit_from_answers import JudgedGroup
from pipeline.rules.linking.prior.link_record import LinkRecord
from tests.support.link_groups import PLANTED, drawn

JUROR = 70


def judged(number: int, wrong: float, *, in_lot: bool = True, seed: int = 1) -> list[JudgedGroup]:
    """Groups whose pairs people judged, and a program that differs from them on a share."""
    draw = Random(seed)
    return [
        group._replace(
            judged={pair: [(JUROR, said[0].same != (draw.random() < wrong))] for pair, said in group.heard.items()},
            in_lot=in_lot,
        )
        for group in groups(number, seed)
    ]


@cache
def groups(number: int, seed: int) -> list[JudgedGroup]:
    return drawn(number, PLANTED, OF_PAPER, seed)


def record(judged: list[JudgedGroup]) -> LinkRecord:
    return fit_link_jurors(judged, PLANTED, OF_PAPER)[str(JUROR)]


@pytest.mark.parametrize("wrong", [0.02, 0.2])
def test_errors_are_found_from_peoples_answers(wrong: float):
    found = record(judged(80, wrong))
    assert found.is_known and found.of_pairs() == pytest.approx((wrong, wrong), abs=0.07)


def test_answers_outside_the_lot_are_not_counted():
    assert record(judged(40, 0.1, in_lot=False)).answers == 0


def test_a_program_that_turned_is_new_again():
    before, after = judged(80, 0.05), judged(20, 0.6, seed=2)
    assert record([*before, *after]).answers <= 3 * 20 + WINDOW


def test_pairs_that_people_did_not_judge_say_nothing():
    assert fit_link_jurors([judged(1, 0.0)[0]._replace(heard={})], PLANTED, OF_PAPER) == {}


@pytest.mark.parametrize("alike", [False, True], ids=["apart", "alike"])
def test_two_jurors_are_apart_unless_they_err_about_the_same_pairs(*, alike: bool):
    draw = Random(5)

    def second(first: bool, truth: bool) -> bool:  # noqa: FBT001
        return first if alike else truth != (draw.random() < 0.2)

    by_both = [
        group._replace(
            judged={
                pair: [(JUROR, same), (71, second(same, group.heard[pair][0].same))]
                for pair, ((_, same),) in group.judged.items()
            }
        )
        for group in judged(80, 0.2)
    ]
    (pair,) = fit_link_pairs(by_both, PLANTED, OF_PAPER).values()
    assert (pair.are_apart, pair.are_shared) == (not alike, alike)
