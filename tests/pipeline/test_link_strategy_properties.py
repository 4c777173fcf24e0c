"""Properties of the four strategies of the paper, played to the end by random workers on random groups."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.link_strategy import QUESTIONS, Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair, can_corefer, groups

Votes = dict[Pair, list[bool]]
PLUS = [Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS]


@st.composite
def link_groups(draw: st.DrawFn) -> tuple[LinkMention, ...]:
    types = st.frozensets(st.sampled_from(["people", "other", "scene"]), min_size=1, max_size=2)
    captions = draw(st.lists(st.integers(0, 4), min_size=1, max_size=9))
    mentions = [LinkMention(99 - i, caption, i, draw(types), "man") for i, caption in enumerate(captions)]
    return draw(st.sampled_from(groups(mentions)))


def play(
    strategy: Strategy, group: tuple[LinkMention, ...], rng: random.Random, error: float = 0.3
) -> tuple[Votes, LinkPlan]:
    gold = {mention.number: rng.randrange(3) for mention in group}
    votes: Votes = {}
    while (plan := plan_links(strategy, group, votes)).open:
        pair = rng.choice(plan.open)  # one judgment at a time, in any order
        votes.setdefault(pair, []).append((gold[pair[0]] == gold[pair[1]]) != (rng.random() < error))
    return votes, plan


def chain_of(plan: LinkPlan) -> dict[int, int]:
    return {number: chain[0] for chain in plan.chains for number in chain}


every_strategy = pytest.mark.parametrize("strategy", QUESTIONS)
played = settings(max_examples=20)


@every_strategy
@played
@given(group=link_groups(), seed=st.integers(0, 999))
def test_it_ends_with_every_mention_in_one_chain_and_no_pair_asked_too_often(
    strategy: Strategy, group: tuple[LinkMention, ...], seed: int
):
    votes, plan = play(strategy, group, random.Random(seed))
    order = [mention.number for mention in group]
    assert sorted(number for chain in plan.chains for number in chain) == sorted(order)
    assert [chain[0] for chain in plan.chains] == sorted((chain[0] for chain in plan.chains), key=order.index)
    assert all(list(chain) == sorted(chain, key=order.index) for chain in plan.chains)
    most = 5 if strategy.is_plus else 1
    assert all(1 <= len(cast) <= most for cast in votes.values())
    assert set(plan.sources) == set(votes)


@every_strategy
@played
@given(group=link_groups(), seed=st.integers(0, 999))
def test_it_asks_only_pairs_that_can_corefer(strategy: Strategy, group: tuple[LinkMention, ...], seed: int):
    votes, _ = play(strategy, group, random.Random(seed))
    admissible = {(a.number, b.number) for a, b in combinations(group, 2) if can_corefer(a, b)}
    assert set(votes) <= admissible
    if strategy in (Strategy.EXHAUSTIVE, Strategy.EXHAUSTIVE_PLUS):
        assert set(votes) == admissible


@pytest.mark.parametrize("strategy", PLUS)
@played
@given(group=link_groups(), seed=st.integers(0, 999))
def test_the_chains_never_contradict_a_settled_link(strategy: Strategy, group: tuple[LinkMention, ...], seed: int):
    votes, plan = play(strategy, group, random.Random(seed))
    chain = chain_of(plan)
    for (a, b), cast in votes.items():
        said_yes = 2 * sum(cast) > len(cast)
        assert (chain[a] == chain[b]) == (said_yes and (a, b) not in plan.overruled)
    assert all(chain[a.number] != chain[b.number] for a, b in combinations(group, 2) if not can_corefer(a, b))
    assert plan.doubted == {chain[number] for pair in plan.overruled for number in pair}


@every_strategy
@played
@given(group=link_groups(), seed=st.integers(0, 999))
def test_workers_who_never_err_make_the_gold_chains(strategy: Strategy, group: tuple[LinkMention, ...], seed: int):
    rng = random.Random(seed)
    gold: list[list[LinkMention]] = []
    for mention in group:  # any gold chains that the link rules allow
        fitting = [chain for chain in gold if all(can_corefer(mention, other) for other in chain)]
        if fitting and rng.random() < 0.7:
            rng.choice(fitting).append(mention)
        else:
            gold.append([mention])
    chain = {mention.number: tuple(one.number for one in members) for members in gold for mention in members}
    votes: Votes = {}
    while (plan := plan_links(strategy, group, votes)).open:
        votes |= {(a, b): [chain[a] == chain[b]] for a, b in plan.open}
    assert set(plan.chains) == set(chain.values())
    assert all(source in (LinkSource.ASKED_YES, LinkSource.ASKED_NO) for source in plan.sources.values())


@played
@given(group=link_groups(), seed=st.integers(0, 999))
def test_the_order_in_which_pairs_were_answered_does_not_matter(group: tuple[LinkMention, ...], seed: int):
    rng = random.Random(seed)
    votes, plan = play(Strategy.GREEDY_PLUS, group, rng)
    shuffled = dict(rng.sample(list(votes.items()), len(votes)))
    assert plan_links(Strategy.GREEDY_PLUS, rng.sample(group, len(group)), shuffled) == plan
