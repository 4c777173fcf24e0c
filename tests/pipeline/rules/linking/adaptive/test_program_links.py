"""Chains that programs predict weigh as much as the programs are right."""

import math

import numpy as np
import pytest

from pipeline.rules.jurors.source import Source
from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.adaptive.program_links import (
    LEAST,
    WEAK,
    ProgramLinks,
    program_links,
    program_scores,
    ratios,
    said_of,
)
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import LinkMention

GOOD = CrowdErrors(0.05, 0.02)


def group(*words: str) -> tuple[LinkMention, ...]:
    """People, each in a caption of its own."""
    return tuple(
        LinkMention(number, number, 0, frozenset({"people"}), text.split()[-1], tuple(text.split()))
        for number, text in enumerate(words)
    )


THREE = group("a man", "the surfer", "a lady")


def test_a_program_says_same_or_different_of_pairs_that_it_placed_and_nothing_of_others():
    said = said_of(group("a", "b", "c", "d"), [[0, 1], [3]])
    assert said.tolist() == [[0, 1, 0, 2], [1, 0, 0, 2], [0, 0, 0, 0], [2, 2, 0, 0]]


def test_the_ratios_are_those_of_the_likelihoods():
    assert ratios(CrowdErrors(0.2, 0.1)) == pytest.approx((math.log(0.8 / 0.1), math.log(0.2 / 0.9)))


def test_a_program_that_might_as_well_guess_weighs_nothing():
    for errors in (CrowdErrors(0.5, 0.5), CrowdErrors(0.7, 0.3), CrowdErrors(0.9, 0.9)):
        assert ratios(errors) == (0.0, 0.0), errors
        assert not program_scores(THREE, [ProgramLinks([[0, 1], [2]], errors)]).any(), errors


def test_no_program_is_beyond_doubt():
    assert ratios(CrowdErrors(0.0, 0.0)) == ratios(CrowdErrors(LEAST, LEAST))


def test_mentions_that_are_misplaced_lose_what_keeps_them_apart_and_nothing_else():
    whole = program_scores(THREE, [ProgramLinks([[0, 1], [2]], GOOD)])
    lost = program_scores(THREE, [ProgramLinks([[0, 1], [2]], GOOD, misplaced=frozenset([1]))])
    assert lost[0].tolist() == whole[0].tolist() and lost[0, 2] < 0 < lost[0, 1]
    assert lost[1, 2] == 0 > whole[1, 2]


def test_a_data_set_in_which_nothing_is_wrong_outweighs_two_answers():
    wrong = Source(program=7, wrong=(("", 0.0, 0.0),)).of_links({"people"})
    [source] = program_links({7: [[0, 1], [2]]}, {}, wrong)
    heard = {(0, 1): [Heard(same=False)] * 2}
    words = group("a man", "a person", "a child")
    plan = plan_adaptively(words, heard, prior=DEFAULT, stop=0.9, programs=[source])
    assert plan.chains == ((0, 1), (2,))


def test_two_programs_add_up():
    one, other = ProgramLinks([[0, 1], [2]], GOOD), ProgramLinks([[0], [2]], GOOD)
    assert np.array_equal(
        program_scores(THREE, [one, other]), program_scores(THREE, [one]) + program_scores(THREE, [other])
    )


def test_a_program_without_learned_errors_is_an_unknown_one():
    assert program_links({7: [[0]], 8: [[1]]}, {"8": [0.1, 0.2]}) == [
        ProgramLinks([[0]], WEAK),
        ProgramLinks([[1]], CrowdErrors(0.1, 0.2)),
    ]


def test_a_good_program_is_believed_and_spares_questions():
    asked = plan_adaptively(THREE, {}, prior=DEFAULT, stop=0.3)
    told = plan_adaptively(THREE, {}, prior=DEFAULT, stop=0.3, programs=[ProgramLinks([[0, 1], [2]], GOOD)])
    assert asked.open and not told.open
    assert told.chains == ((0, 1), (2,))


def test_answers_overrule_a_good_program():
    no = {(0, 1): [Heard(False)] * 3}
    told = plan_adaptively(THREE, no, prior=DEFAULT, stop=0.3, programs=[ProgramLinks([[0, 1], [2]], GOOD)])
    assert (0, 1) not in told.chains
