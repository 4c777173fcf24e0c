"""Programs whose errors hang together make the belief too sure, and count less until they do not."""

from dataclasses import replace
from random import Random

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence
from pipeline.rules.boxing.fits.hold_jurors import claim_of, with_held
from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.prior.juror_record import PERSON, JurorRecord
from pipeline.rules.boxing.prior.unseen import KnownAnswers
from pipeline.rules.jurors.said_right import ALONE, BOTH, PEOPLE
from pipeline.rules.tasks.task import Task

ONE = (0.02, 0.93, 0.05)
JUROR, PROGRAM = "70", "7"
NINE_OF_TEN = JurorRecord((90.0, 10.0), (90.0, 10.0), (90.0, 10.0), {PERSON: (90.0, 10.0), PROGRAM: (90.0, 10.0)})
PRIOR = replace(DEFAULT, jurors={JUROR: NINE_OF_TEN})


def proposed(trust: float = 0.7) -> BoxAnswer:
    return BoxAnswer(Task.BOX_DRAWING, None, box=0, trust=trust)


def quality(*, good: bool, juror: str | None = None) -> BoxAnswer:
    return BoxAnswer(Task.BOX_QUALITY, "good" if good else "bad", box=0, juror=juror, source=PROGRAM)


def coverage(*, there: bool, juror: str | None = None) -> BoxAnswer:
    return BoxAnswer(Task.BOX_COVERAGE, "all there" if there else "more needed", shown=(0,), juror=juror)


def chain(*, good: bool, says: bool, people: int = 3, wrong: float = 0.12, seed: int = 0) -> BoxEvidence:
    """A proposed box that the juror judges, and then people, who err."""
    draw = Random(seed)
    by_juror = (quality(good=says, juror=JUROR), coverage(there=says, juror=JUROR))
    by_people = [quality(good=good != (draw.random() < wrong)) for _ in range(people)]
    return BoxEvidence(ONE, (proposed(), *by_juror, *by_people, coverage(there=True)))


def lot(number: int, *, bad: float, fooled: float) -> list[BoxEvidence]:
    """`bad`: the share of bad boxes; `fooled`: of these, the share that the juror calls good."""
    draw, found = Random(5), []
    for place in range(number):
        good = draw.random() >= bad
        found.append(chain(good=good, says=good or draw.random() < fooled, seed=place))
    return found


def weight(prior: BoxPrior) -> float:
    return prior.jurors[JUROR].weight


def test_a_juror_whose_errors_are_those_of_its_record_counts_in_full():
    prior = with_held(PRIOR, lot(80, bad=0.3, fooled=0.1))
    held = prior.held[JUROR]
    assert weight(prior) == 1 and held.chains == 80 and 0 < held.claims < 80
    assert 0.9 <= held.said <= held.most and held.right > 0.95
    assert prior.held[BOTH] == held and prior.held[ALONE].claims and PEOPLE not in prior.held


def test_a_juror_that_is_fooled_more_often_counts_less_until_it_is_not():
    prior = with_held(PRIOR, lot(40, bad=0.5, fooled=0.9))
    assert prior.held[JUROR].is_too_sure and weight(prior) < 0.6
    again = with_held(prior, lot(30, bad=0.3, fooled=0.1))
    assert weight(again) == 1 and not again.held[JUROR].is_too_sure


def test_a_few_chains_change_nothing():
    assert weight(with_held(PRIOR, lot(8, bad=0.4, fooled=0.9))) == 1


def test_only_chains_that_jurors_and_people_judged_are_claims():
    alone, whole = chain(good=True, says=True, people=0), chain(good=True, says=True)
    unasked = BoxEvidence(ONE, alone.answers[:-1])
    assert claim_of(whole, PRIOR, [JUROR], people=True) and not claim_of(unasked, PRIOR, [JUROR], people=True)
    assert claim_of(whole, PRIOR, [], people=True) is None
    assert with_held(PRIOR, [BoxEvidence(ONE, (proposed(), quality(good=True)))]).held[JUROR].chains == 0


def test_programs_alone_claim_nothing_after_a_persons_answer():
    first = BoxEvidence(ONE, (coverage(there=True), *chain(good=True, says=True).answers))
    assert claim_of(first, PRIOR, [JUROR], people=False) is None
    assert claim_of(chain(good=True, says=True), PRIOR, [JUROR], people=False)


def test_people_who_drop_a_box_show_the_claim_to_be_wrong():
    told = chain(good=False, says=True, wrong=0.0)
    drawn = BoxAnswer(Task.BOX_DRAWING, None, box=1)
    later = BoxEvidence(ONE, (*told.answers[:-1], drawn, BoxAnswer(Task.BOX_COVERAGE, "all there", shown=(1,))))
    for one in (told, later):
        claim = claim_of(one, PRIOR, [JUROR], people=True)
        assert claim is not None and claim.ratio < 0.2


def test_what_is_answered_after_a_box_was_dropped_is_about_something_else():
    told = chain(good=True, says=True, wrong=0.0)
    dropped = BoxEvidence(ONE, (*told.answers, BoxAnswer(Task.BOX_DRAWING, None, box=1), coverage(there=True)))
    claims = [claim_of(one, PRIOR, [JUROR], people=True) for one in (told, dropped)]
    assert claims[0] == claims[1] and claims[0] is not None and claims[0].ratio > 5


def test_people_alone_are_held_against_known_questions():
    fine, wrong = KnownAnswers(4, 0), KnownAnswers(0, 4)
    held = with_held(DEFAULT, [], [fine] * 190 + [wrong] * 10 + [KnownAnswers(1, 0)] * 50).held
    assert set(held) == {PEOPLE} and held[PEOPLE].claims == 200
    assert held[PEOPLE].right == pytest.approx(0.95, abs=0.01) and held[PEOPLE].is_too_sure
