"""The lessons of evidence for a project: a new state, pulled towards what was given, with the rest as it was."""

from dataclasses import replace

import pytest

from annotation.rules.transitivity import LinkMention
from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.answer_model import PAPER_ERRORS, CrowdErrors, LinkAnswer
from belief.links.link_prior import DEFAULT, WORDLESS
from belief.links.refit_from_answers import JudgedGroup
from pipeline.learning.learn import ChainEvidence, LinkedImage, LinkEvidence, learn, weighable
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings

ADAPTIVE = Settings(strategy=LinkStrategy.ADAPTIVE)
GIVEN = LearnedState(links=replace(WORDLESS, pairs={"same head": 3.0}), boxes=BoxPrior(none={"animals": 0.5}))
LEARNED = LearnedState(
    links=replace(DEFAULT, refitted_on=15),
    crowd=CrowdErrors(0.2, 0.1),
    programs={"7": (0.1, 0.2)},
    boxes=BoxPrior(refitted_on=9),
)
MEN = tuple(LinkMention(number, number, 0, frozenset({"people"}), "man") for number in range(3))
ANSWERS = {(0, 1): [LinkAnswer(same=False, skill=0.0)] * 3, (1, 2): [LinkAnswer(same=False, skill=0.0)] * 3}
GROUPS = [JudgedGroup(MEN, ANSWERS)] * 20


def test_links_teach_weights_and_errors_and_leave_boxes_as_they_are() -> None:
    found = learn(ADAPTIVE, LEARNED, LinkEvidence(GROUPS, 20), GIVEN)
    assert found.links.pairs["same head"] < 3.0 and found.links.refitted_on == 20 and found.crowd != LEARNED.crowd
    assert (found.boxes, found.programs) == (LEARNED.boxes, LEARNED.programs)


def test_without_evidence_what_was_given_comes_back_and_not_what_was_learned() -> None:
    links = learn(ADAPTIVE, LEARNED, LinkEvidence((), 0), GIVEN)
    assert (links.links, links.crowd) == (GIVEN.links, PAPER_ERRORS)
    assert learn(ADAPTIVE, LEARNED, ChainEvidence((), 0), GIVEN) == replace(LEARNED, boxes=GIVEN.boxes)


def test_the_same_evidence_teaches_the_same_and_changes_nothing_that_it_read() -> None:
    before = LEARNED.to_json()
    once, twice = (learn(ADAPTIVE, LEARNED, LinkEvidence(GROUPS, 20), GIVEN) for _ in range(2))
    assert once == twice and LEARNED.to_json() == before


@pytest.mark.parametrize("beyond", [True, False])
def test_joins_are_learned_where_links_beyond_the_rules_are_asked(*, beyond: bool) -> None:
    image = LinkedImage(MEN[:2], [0, 1], {(0, 1): [LinkAnswer(same=False, skill=0.0)] * 5})
    apart = image._replace(mentions=[MEN[0], MEN[1]._replace(caption=0, start=4)])
    found = learn(
        replace(ADAPTIVE, beyond_rules=beyond), LearnedState(), LinkEvidence(GROUPS, 20, [apart] * 40), LearnedState()
    )
    assert (found.links.joins != DEFAULT.joins) is beyond


def test_groups_that_are_too_large_are_not_weighed() -> None:
    assert weighable([*GROUPS, JudgedGroup(MEN * 20, {}), JudgedGroup(MEN[:1], {})]) == 20
