"""The parts of the link strategies by themselves, on one small group."""

from collections.abc import Mapping

import pytest

from pipeline.rules.linking.consensus import margin, overrule, settle
from pipeline.rules.linking.exhaustive import exhaustive_questions
from pipeline.rules.linking.greedy import greedy_questions
from pipeline.rules.linking.link_evidence import LinkEvidence, Verdicts, link_evidence
from pipeline.rules.linking.transitivity import LinkMention, Pair

GROUP = tuple(LinkMention(n, n, 0, frozenset({"people"}), "man") for n in range(3))
TRIANGLE = {(0, 1): [True], (0, 2): [False], (1, 2): [True]}


def evidence(votes: Mapping[Pair, list[bool]]) -> LinkEvidence:
    return link_evidence(GROUP, votes, {}, ())


def verdicts(known: LinkEvidence) -> Verdicts:
    return Verdicts(known.group, known.first.items())


@pytest.mark.parametrize(("votes", "ahead"), [([], 0), ([True], 1), ([False], -1), ([True, False, False], -1)])
def test_the_margin_is_how_many_more_say_yes(votes: list[bool], ahead: int):
    assert margin(votes) == ahead


def test_exhaustive_asks_what_is_not_known():
    assert exhaustive_questions(evidence({(0, 2): [True]})) == [(0, 1), (1, 2)]


def test_greedy_asks_one_mention_after_another():
    assert greedy_questions(evidence({})) == [(0, 1)]
    assert greedy_questions(evidence({(0, 1): [True]})) == [(0, 2)]
    assert greedy_questions(evidence({(0, 1): [False]})) == [(0, 2), (1, 2)]


def test_a_contradiction_is_asked_again_until_a_side_leads():
    known = evidence(TRIANGLE)
    assert settle(known, verdicts(known), lead=2, most=5)[0] == [(0, 1), (0, 2), (1, 2)]
    known = evidence({**TRIANGLE, (0, 1): [True, True], (0, 2): [False, False]})
    assert settle(known, verdicts(known), lead=2, most=5)[0] == [(1, 2)]


def test_of_two_contradicting_links_the_one_of_the_smaller_margin_is_overruled():
    known = evidence({(0, 1): [True] * 2, (0, 2): [False] * 2, (1, 2): [True] * 3})
    assert overrule(known, verdicts(known), frozenset()) == ([0b001, 0b110], frozenset({(0, 1)}))
