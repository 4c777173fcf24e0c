"""The strategy that asks every pair."""

from pipeline.rules.linking.exhaustive import exhaustive_questions
from pipeline.rules.linking.link_evidence import LinkEvidence, link_evidence
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair

PEOPLE = frozenset(["people"])
MENTIONS = [
    LinkMention(1, 0, 0, PEOPLE, "man"),
    LinkMention(2, 0, 5, PEOPLE, "boy"),
    LinkMention(3, 1, 0, PEOPLE | {"other"}, "team"),
    LinkMention(4, 2, 0, frozenset(["other"]), "game"),
]


def test_every_pair_that_can_corefer_is_open_at_once():
    assert plan_links(Strategy.EXHAUSTIVE, MENTIONS, {}).open == ((1, 3), (2, 3), (3, 4))


def test_answered_set_and_skipped_pairs_are_not_asked():
    plan = plan_links(Strategy.EXHAUSTIVE, MENTIONS, {(1, 3): [True]}, given={(2, 3): False}, skipped=[(3, 4)])
    assert plan.open == ()
    assert plan.chains == ((1, 3), (2,), (4,))
    assert plan.unsettled == {(3, 4)}
    assert plan.sources == {(1, 3): LinkSource.ASKED_YES, (2, 3): LinkSource.EXPERT, (3, 4): LinkSource.ASKED_NO}


def test_contradictions_stay():
    plan = plan_links(Strategy.EXHAUSTIVE, MENTIONS, {(1, 3): [True], (2, 3): [True], (3, 4): [False]})
    assert (plan.chains, plan.open, plan.overruled) == (((1, 2, 3), (4,)), (), frozenset())


def test_chains_are_shown_while_questions_are_open():
    plan = plan_links(Strategy.EXHAUSTIVE, MENTIONS, {(2, 3): [True]})
    assert (plan.open, plan.chains) == (((1, 3), (3, 4)), ((1,), (2, 3), (4,)))


def evidence(votes: dict[Pair, list[bool]]) -> LinkEvidence:
    """Return the evidence of three mentions that can all corefer."""
    group = [LinkMention(n, n, 0, frozenset({"people"}), "man") for n in range(3)]
    return link_evidence(group, votes, {}, ())


def test_exhaustive_asks_what_is_not_known():
    assert exhaustive_questions(evidence({(0, 2): [True]})) == [(0, 1), (1, 2)]
