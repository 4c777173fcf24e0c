"""Links that programs make sure are held against people's answers to them."""

from dataclasses import replace
from random import Random

import pytest

from pipeline.rules.jurors.said_right import ALONE, BOTH
from pipeline.rules.linking.adaptive.answer_model import OF_PAPER
from pipeline.rules.linking.fits.hold_link_jurors import claims_of, with_held_links
from pipeline.rules.linking.fits.refit_from_answers import JudgedGroup
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.prior.link_record import LinkRecord
from tests.support.link_groups import PLANTED, drawn

JUROR = 70
SURE = LinkRecord((95.0, 5.0), (95.0, 5.0))
KNOWN = replace(PLANTED, jurors={str(JUROR): SURE})


def judged(number: int, wrong: float, *, in_lot: bool = True) -> list[JudgedGroup]:
    """Groups whose pairs people judged, and a program that differs from them on a share."""
    draw = Random(4)
    return [
        group._replace(
            judged={pair: [(JUROR, said[0].same != (draw.random() < wrong))] for pair, said in group.heard.items()},
            in_lot=in_lot,
        )
        for group in drawn(number, PLANTED, OF_PAPER, 3)
    ]


def held(wrong: float, prior: LinkPrior = KNOWN) -> LinkPrior:
    return with_held_links(prior, judged(30, wrong), OF_PAPER)


def test_a_juror_that_errs_as_its_record_says_counts_in_full():
    prior = held(0.1)
    own = prior.held[str(JUROR)]
    assert prior.jurors[str(JUROR)].weight == 1 and own.chains > 15 and own.claims > 8
    assert not own.is_too_sure and prior.held[BOTH] == own and prior.held[ALONE].claims


def test_a_juror_that_errs_more_often_counts_less_until_it_does_not():
    prior = held(0.5)
    lighter = prior.jurors[str(JUROR)]
    assert prior.held[str(JUROR)].is_too_sure and lighter.weight < 0.7
    assert lighter.ratio(same=True) == pytest.approx(lighter.weight * SURE.ratio(same=True))
    again = with_held_links(prior, judged(15, 0.1), OF_PAPER)
    assert again.jurors[str(JUROR)].weight == 1


def test_what_is_held_is_stored_with_the_prior():
    prior = with_held_links(KNOWN, judged(5, 0.1), OF_PAPER)
    assert LinkPrior.from_json(prior.to_json()) == prior
    assert "held" not in PLANTED.to_json()


def test_only_groups_of_the_lot_are_held():
    assert with_held_links(KNOWN, judged(30, 0.1, in_lot=False), OF_PAPER).held[str(JUROR)].chains == 0
    assert with_held_links(PLANTED, judged(5, 0.1), OF_PAPER).held == {}


def test_a_pair_that_jurors_did_not_judge_is_no_claim():
    group = judged(1, 0.0)[0]
    assert not list(claims_of(group, {}, KNOWN, OF_PAPER, people=True))
