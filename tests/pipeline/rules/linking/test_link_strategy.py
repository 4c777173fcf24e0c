"""The paper's strategies; their properties are searched for in test_image_walks.py."""

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


PLACED: dict[str, tuple[list[LinkMention], dict[Pair, list[bool]], dict[str, Any], list[Pair]]] = {
    "the second mention is compared with the first, and nothing else": (FOUR, {}, {}, [(1, 2)]),
    "with one mention of the chain": (FOUR, {(1, 2): [True]}, {}, [(1, 3)]),
    "with one mention of each chain": (FOUR, {(1, 2): [False]}, {}, [(1, 3), (2, 3)]),
    "the next mention waits for all answers": (FOUR, {(1, 2): [False], (1, 3): [True]}, {}, [(2, 3)]),
    "a chain with the caption is no candidate": (ONE_CAPTION, {(1, 2): [True]}, {}, [(1, 4), (3, 4)]),
    "with the first mention that shares a type": (TYPED, {(1, 2): [True]}, {}, [(2, 3)]),
    "a chain that shares no type is no candidate": (TYPED, {(1, 2): [False]}, {}, [(2, 3)]),
    "only the first vote places": (FOUR, {(1, 2): [False, True, True]}, {}, [(1, 3), (2, 3)]),
    "compared before: apart": (FOUR, {(1, 2): [True], (2, 3): [False]}, {}, [(1, 4), (3, 4)]),
    "compared before: together": (FOUR, {(1, 2): [True], (2, 3): [True]}, {}, [(1, 4)]),
    "set by an expert": (FOUR, {}, {"given": {(1, 2): True}}, [(1, 3)]),
    "joined by an expert": (FOUR, {(1, 2): [True]}, {"given": {(2, 3): True}}, [(1, 4)]),
    "kept apart by an expert": (FOUR, {(1, 2): [True]}, {"given": {(2, 3): False}}, [(1, 4), (3, 4)]),
    "a skipped question counts as no": (FOUR, {}, {"skipped": [(1, 2)]}, [(1, 3), (2, 3)]),
}


def test_greedy_asks_what_places_the_next_mention():
    plans = {
        case: plan_links(Strategy.GREEDY, mentions, votes, **more)
        for case, (mentions, votes, more, _) in PLACED.items()
    }
    assert {case: list(plan.open) for case, plan in plans.items()} == {case: row[-1] for case, row in PLACED.items()}


def test_several_yes_join_the_chains():
    votes = {(1, 2): [False], (1, 3): [True], (2, 3): [True]}
    plan = plan_links(Strategy.GREEDY, FOUR, votes)
    assert (plan.chains, plan.open) == (((1, 2, 3), (4,)), ((1, 4),))


def test_no_yes_makes_a_new_chain():
    votes = {(1, 2): [True], (1, 3): [False], (1, 4): [False], (3, 4): [False]}
    plan = plan_links(Strategy.GREEDY, FOUR, votes)
    assert (plan.chains, plan.open) == (((1, 2), (3,), (4,)), ())
