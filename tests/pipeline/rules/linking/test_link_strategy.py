"""The paper's strategies; their properties are searched for in test_link_strategy_properties.py."""

from itertools import combinations
from typing import Any

import pytest

from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair
from tests.pipeline.rules.linking.test_transitivity import mention

PLUS = [Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS]


@pytest.mark.parametrize("strategy", PLUS)
def test_an_expert_who_sets_every_link_leaves_nothing_to_ask(strategy: Strategy):
    group = [LinkMention(number, number, 0, frozenset(["people"]), "man") for number in range(5)]
    given_links = {(a, b): (a % 2 == b % 2) for a, b in combinations(range(5), 2)}
    plan = plan_links(strategy, group, {(0, 1): [True]}, given=given_links)
    assert (plan.open, plan.chains) == ((), ((0, 2, 4), (1, 3)))
    assert set(plan.sources.values()) == {LinkSource.EXPERT}


def test_a_group_of_one_mention_is_a_chain():
    assert plan_links(Strategy.GREEDY_PLUS, [LinkMention(7, 0, 0, frozenset(), "it")], {}).chains == ((7,),)


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


FOUR = [mention(1, 0), mention(2, 1), mention(3, 2), mention(4, 3)]
TYPED = [mention(1, 0), mention(2, 1, types="people/other"), mention(3, 2, types="other")]
ONE_CAPTION = [mention(1, 0), mention(2, 1), mention(3, 1, start=4), mention(4, 2)]


@pytest.mark.parametrize(
    ("mentions", "votes", "more", "asked"),
    [
        pytest.param(FOUR, {}, {}, [(1, 2)], id="the second mention is compared with the first, and nothing else"),
        pytest.param(FOUR, {(1, 2): [True]}, {}, [(1, 3)], id="with one mention of the chain"),
        pytest.param(FOUR, {(1, 2): [False]}, {}, [(1, 3), (2, 3)], id="with one mention of each chain"),
        pytest.param(
            FOUR, {(1, 2): [False], (1, 3): [True]}, {}, [(2, 3)], id="the next mention waits for all answers"
        ),
        # Mention 3 is not compared with the chain of 1 and 2, and goes on as a chain of its own.
        pytest.param(
            ONE_CAPTION, {(1, 2): [True]}, {}, [(1, 4), (3, 4)], id="a chain with the caption is no candidate"
        ),
        pytest.param(TYPED, {(1, 2): [True]}, {}, [(2, 3)], id="with the first mention that shares a type"),
        pytest.param(TYPED, {(1, 2): [False]}, {}, [(2, 3)], id="a chain that shares no type is no candidate"),
        pytest.param(FOUR, {(1, 2): [False, True, True]}, {}, [(1, 3), (2, 3)], id="only the first vote places"),
        pytest.param(FOUR, {(1, 2): [True], (2, 3): [False]}, {}, [(1, 4), (3, 4)], id="compared before: apart"),
        pytest.param(FOUR, {(1, 2): [True], (2, 3): [True]}, {}, [(1, 4)], id="compared before: together"),
        pytest.param(FOUR, {}, {"given": {(1, 2): True}}, [(1, 3)], id="set by an expert"),
        pytest.param(FOUR, {(1, 2): [True]}, {"given": {(2, 3): True}}, [(1, 4)], id="joined by an expert"),
        pytest.param(
            FOUR, {(1, 2): [True]}, {"given": {(2, 3): False}}, [(1, 4), (3, 4)], id="kept apart by an expert"
        ),
        pytest.param(FOUR, {}, {"skipped": [(1, 2)]}, [(1, 3), (2, 3)], id="a skipped question counts as no"),
    ],
)
def test_greedy_asks_what_places_the_next_mention(
    mentions: list[LinkMention], votes: dict[Pair, list[bool]], more: dict[str, Any], asked: list[Pair]
):
    assert plan_links(Strategy.GREEDY, mentions, votes, **more).open == tuple(asked)


def test_several_yes_join_the_chains():
    votes = {(1, 2): [False], (1, 3): [True], (2, 3): [True]}
    plan = plan_links(Strategy.GREEDY, FOUR, votes)
    assert (plan.chains, plan.open) == (((1, 2, 3), (4,)), ((1, 4),))


def test_no_yes_makes_a_new_chain():
    votes = {(1, 2): [True], (1, 3): [False], (1, 4): [False], (3, 4): [False]}
    plan = plan_links(Strategy.GREEDY, FOUR, votes)
    assert (plan.chains, plan.open) == (((1, 2), (3,), (4,)), ())
