"""The chance of a pair to be one thing, by all answers and by all but its own."""

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER
from pipeline.rules.linking.adaptive.group_belief import believe, known_of, told_by_all, told_by_others
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import Pair
from tests.support.link_groups import NO, YES, people

GROUP = people(3)


def test_what_a_pair_was_answered_counts_beside_what_the_others_tell():
    heard = {(0, 1): [YES], (0, 2): [YES], (1, 2): [NO, NO]}
    every, others = (told(GROUP, heard, prior=DEFAULT, errors=OF_PAPER) for told in (told_by_all, told_by_others))
    assert every[1, 2] < others[1, 2], "its own answers say no"
    assert every.keys() == others.keys() == heard.keys()


def test_what_programs_tell_counts_like_an_answer():
    def together(jurors: dict[Pair, float]) -> float:
        return float(believe(known_of(GROUP, {}, OF_PAPER, jurors=jurors), DEFAULT)[1][0])

    assert together({(0, 1): 3.0}) > together({}) > together({(0, 1): -3.0})
    assert together({(0, 1): 0.0}) == pytest.approx(together({}))


def test_mentions_of_one_caption_are_asked_about_where_they_stand_in_different_sentences():
    one, other = (mention._replace(caption=0, start=n, clause=n) for n, mention in enumerate(people(2)))
    assert len(known_of([one, other], {}, OF_PAPER).open) == 0, "a checked data set alone holds that they are one thing"
    assert len(known_of([one, other._replace(part=(1, 0))], {}, OF_PAPER).open) == 1
