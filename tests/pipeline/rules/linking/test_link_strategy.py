"""Rules that all four strategies share; their properties are searched for in test_link_strategy_properties.py."""

from itertools import combinations

import pytest

from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention

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
