"""Properties of contradictions and of the adaptive strategy; `test_image_walks.py` has those of all strategies.
The largest group that the bounds allow is planned in a few steps, whatever the answers are.
"""

import random
from itertools import combinations, pairwise, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.transitivity import PLANNED_WHOLE, LinkMention, Pair
from belief.links.answer_model import LinkAnswer
from belief.links.beam import BeamSearch
from belief.links.link_prior import DEFAULT
from belief.links.partitions import SIZES, PartitionWeights, all_partitions, posterior
from pipeline.policies.adaptive_links import PlanInput, plan_adaptively
from pipeline.protocol.links import consensus
from pipeline.protocol.links.consensus import Searched, first_contradiction
from pipeline.protocol.links.strategies import Strategy, plan_links
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.pipeline.protocol.test_strategies import masks
from tests.support.lines_run import lines_run
from tests.support.link_groups import NO, YES, ask_all, people, plan

SETTINGS, SHARES = Settings(), [0.0, 0.2, 0.5, 1.0]
PLUS = [Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS]
MOST = 10_000_000
"""Lines of Python, which take a second or two."""


def links_of(path: tuple[int, ...]) -> set[tuple[int, int]]:
    """Return the links of the path, and that between its ends."""
    return {(min(pair), max(pair)) for pair in [*pairwise(path), (path[0], path[-1])]}


@settings(max_examples=80)
@given(st.lists(st.sampled_from(["yes", "no", "unknown"]), min_size=15, max_size=15), st.sets(st.integers(0, 14)))
def test_it_finds_the_first_contradiction_of_a_fresh_link_as_trying_all_paths_does(kinds: list[str], chosen: set[int]):
    links = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    yes, no = (masks(6, [link for link, said in zip(links, kinds, strict=True) if said == of]) for of in ("yes", "no"))
    tried = []
    for one, another in (link for link in links if no[link[0]] >> link[1] & 1):
        others = set(range(6)) - {one, another}
        for length in range(1, 5):
            paths = [(one, *inner, another) for inner in permutations(others, length)]
            shortest = [path for path in paths if all(yes[one] >> another & 1 for one, another in pairwise(path))]
            tried += shortest
            if shortest:
                break
    tried.sort(key=lambda path: (len(path), sorted(path), path))
    fresh, searched = {links[place] for place in chosen}, Searched()
    while True:  # treated one after another, each search knows what those before it found
        expected = [path for path in tried if not fresh.isdisjoint(links_of(path))]
        found = first_contradiction(yes, no, masks(6, sorted(fresh)), searched)
        assert found == (expected[0] if expected else None)
        if found is None:
            break
        fresh -= links_of(found)


def test_what_earlier_searches_found_changes_no_plan(monkeypatch: pytest.MonkeyPatch):
    mentions = [LinkMention(n, n, 0, frozenset({"people"}), f"w{n}") for n in range(7)]
    crowd = Random(1)
    shares = (0.3, 0.5, 0.7) * 50
    groups = [
        {pair: [crowd.random() < share for _ in range(5)] for pair in combinations(range(7), 2)} for share in shares
    ]
    plans = [plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, votes) for votes in groups]
    monkeypatch.setattr(consensus, "first_contradiction", lambda yes, no, fresh, _: first_contradiction(yes, no, fresh))
    assert plans == [plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, votes) for votes in groups]


@settings(max_examples=8)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=6))
def test_right_answers_lead_to_the_right_chains(chains: list[int]) -> None:
    ended, _ = ask_all(people(len(chains), captions=len(chains)), dict(enumerate(chains)))
    found = {frozenset(chain) for chain in ended.chains}
    assert found == {frozenset(n for n, own in enumerate(chains) if own == one) for one in set(chains)}
    assert all(ended.confidence[chain[0]] > 0.7 for chain in ended.chains)


def test_an_expert_is_believed_in_a_large_group_though_all_answers_before_say_otherwise() -> None:
    group = people(20, captions=4)
    numbers = [mention.number for mention in group]
    by_caption = [numbers[start : start + 5] for start in range(0, 20, 5)]
    heard = {(one, other): [YES] * 5 for rows in combinations(by_caption, 2) for one, other in zip(*rows, strict=True)}
    wanted = by_caption[0][0], by_caption[3][1]
    chains = plan_adaptively(PlanInput(group, heard, prior=DEFAULT, stop=0.9, expert_links={wanted: True})).chains
    assert any(set(wanted) <= set(chain) for chain in chains)


@settings(max_examples=8)
@given(st.permutations([((0, 1), YES), ((0, 2), NO), ((1, 2), YES), ((1, 3), NO)]))
def test_the_plan_depends_on_what_was_said_and_not_on_when(said: list[tuple[Pair, LinkAnswer]]) -> None:
    heard: dict[Pair, list[LinkAnswer]] = {}
    for pair, one in said:
        heard.setdefault(pair, []).append(one)
    expected = plan(people(4), {(0, 1): [YES], (0, 2): [NO], (1, 2): [YES], (1, 3): [NO]})
    assert plan(people(4), heard) == expected


@settings(max_examples=12)
@given(st.integers(2, 5), st.integers(0, 10_000))
def test_a_wide_beam_finds_them_all_and_a_narrow_one_the_likeliest(mentions: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    pairs, words = (np.triu(draw.normal(0, 2, (mentions, mentions)), 1) for _ in range(2))
    weights = PartitionWeights(pairs + pairs.T, words + words.T, draw.normal(0, 1, (mentions, SIZES)))
    ruled_out = np.triu(draw.random((mentions, mentions)) < 0.2, 1)
    ruled_out |= ruled_out.T
    every = all_partitions(ruled_out, 1000)
    assert every is not None
    wide = BeamSearch().find(ruled_out, weights, 1000).labels()
    assert {tuple(row) for row in wide.tolist()} == {tuple(row) for row in every.labels.tolist()}
    # The beam's own sums are those of the posterior: what it would keep of the last step is what is likeliest.
    best = posterior(every, weights)
    kept = {tuple(row) for row in BeamSearch().find(ruled_out, weights, len(every.labels) - 1).labels().tolist()}
    dropped = [
        chance for row, chance in zip(every.labels, best.chances, strict=True) if tuple(row.tolist()) not in kept
    ]
    assert len(dropped) == 1 and dropped[0] <= best.chances.min() + 1e-9


def test_a_large_group_is_planned_by_its_likeliest_partitions() -> None:
    ended = plan_adaptively(PlanInput(people(14), {(0, 1): [YES]}, prior=DEFAULT, stop=0.02))
    assert len(ended.asks) == 1 and sorted(n for chain in ended.chains for n in chain) == list(range(14))


def group(captions: int) -> list[LinkMention]:
    each, words = PLANNED_WHOLE // captions, [("a", f"w{n % 7}") for n in range(PLANNED_WHOLE)]
    return [LinkMention(n, n // each, n % each, frozenset({"people"}), one[-1], one) for n, one in enumerate(words)]


def pairs(mentions: list[LinkMention]) -> list[tuple[LinkMention, LinkMention]]:
    return [(a, b) for place, a in enumerate(mentions) for b in mentions[place + 1 :] if a.caption != b.caption]


def plan_largest(strategy: LinkStrategy, mentions: list[LinkMention], votes: dict[Pair, list[bool]]) -> None:
    if strategy is LinkStrategy.ADAPTIVE:
        heard = {pair: [LinkAnswer(vote, 0.0) for vote in cast] for pair, cast in votes.items()}
        given = {pair: False for pair in list(votes)[:200]}
        plan_adaptively(PlanInput(mentions, heard, SETTINGS.learned.links, SETTINGS.link_stop, expert_links=given))
    else:
        plan_links(Strategy(strategy), mentions, votes)


# Both treat contradictions by the same rule.
ANSWERED = [*product([one for one in LinkStrategy if one not in PLUS], SHARES), *zip(PLUS * 2, SHARES, strict=True)]


@pytest.mark.parametrize(("strategy", "share"), ANSWERED)
def test_sixty_phrases_are_planned_in_a_few_steps_after_answers_at_random(strategy: LinkStrategy, share: float):
    mentions, crowd = group(captions=5), random.Random(1)
    votes = {(a.number, b.number): [crowd.random() < share for _ in range(5)] for a, b in pairs(mentions)}
    assert lines_run(lambda: plan_largest(strategy, mentions, votes)) < MOST


@pytest.mark.parametrize("strategy", LinkStrategy)
def test_sixty_phrases_are_planned_in_a_few_steps_before_the_first_answer(strategy: LinkStrategy):
    assert lines_run(lambda: plan_largest(strategy, group(captions=5), {})) < MOST


def test_millions_of_contradictions_between_sixty_phrases_are_not_listed_one_by_one():
    """Every phrase is the same as all of the next caption, and as no other: paths of any length, in any number."""
    mentions = group(captions=5)
    votes = {(a.number, b.number): [b.caption == a.caption + 1] * 5 for a, b in pairs(mentions)}
    assert lines_run(lambda: plan_largest(LinkStrategy.EXHAUSTIVE_PLUS, mentions, votes)) < MOST
