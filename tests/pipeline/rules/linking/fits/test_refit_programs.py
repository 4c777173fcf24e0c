"""The errors of programs on links, learnt from answers."""

from itertools import combinations

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, Heard
from pipeline.rules.linking.adaptive.program_links import WEAK, ratios
from pipeline.rules.linking.fits.refit_from_answers import JudgedGroup
from pipeline.rules.linking.fits.refit_programs import IMAGINED, refit_programs
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import LinkMention


def judged(groups: int, wrong: int) -> list[JudgedGroup]:
    """Groups of two men and a lady, with answers to all pairs; a program joins the lady to a man in `wrong` of them."""
    texts = (("a", "man"), ("the", "surfer"), ("a", "lady"))
    people = frozenset({"people"})
    mentions = tuple(LinkMention(place, place, 0, people, words[-1], words) for place, words in enumerate(texts))
    answers = {pair: [Heard(pair == (0, 1))] * 3 for pair in combinations(range(3), 2)}
    bad, good = [[0, 2], [1]], [[0, 1], [2]]
    return [JudgedGroup(mentions, answers, {7: bad if number < wrong else good}) for number in range(groups)]


def test_errors_are_those_that_answers_show_and_those_of_imagined_pairs():
    # Wrong on 10 of 50 pairs that are one thing, and on 10 of 100 that are not.
    missed = (10 + IMAGINED * WEAK.false_negative) / (50 + IMAGINED)
    false = (10 + IMAGINED * WEAK.false_positive) / (100 + IMAGINED)
    rates = refit_programs(judged(50, 10), DEFAULT, OF_PAPER)
    assert rates[7] == pytest.approx((missed, false), abs=0.01)


def test_with_few_answers_a_program_stays_near_an_unknown_one():
    rates = refit_programs(judged(1, 0), DEFAULT, OF_PAPER)
    assert rates[7] == pytest.approx(WEAK, abs=0.05)


def test_a_program_that_is_mostly_wrong_is_set_aside():
    rates = refit_programs(judged(30, 28), DEFAULT, OF_PAPER)
    assert ratios(rates[7]) == (0.0, 0.0)


def test_nothing_is_learned_from_groups_without_answers_or_without_a_program():
    group = judged(1, 0)[0]
    silent = [group._replace(heard={}), group._replace(said={})]
    assert refit_programs(silent, DEFAULT, OF_PAPER) == {}
