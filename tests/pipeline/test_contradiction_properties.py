"""Contradictions that are searched for a counterexample."""

from itertools import combinations, pairwise, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rules.linking import consensus
from pipeline.rules.linking.contradiction import Searched, first_contradiction
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention


def masks(size: int, links: list[tuple[int, int]]) -> list[int]:
    found = [0] * size
    for one, another in links:
        found[one] |= 1 << another
        found[another] |= 1 << one
    return found


def is_path(yes: list[int], path: tuple[int, ...]) -> bool:
    return all(yes[one] >> another & 1 for one, another in pairwise(path))


def links_of(path: tuple[int, ...]) -> set[tuple[int, int]]:
    """Return the links of the path, and that between its ends."""
    return {(min(pair), max(pair)) for pair in [*pairwise(path), (path[0], path[-1])]}


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from(["yes", "no", "unknown"]), min_size=15, max_size=15),
    st.sets(st.integers(0, 14)),
)
def test_it_finds_the_first_contradiction_with_a_fresh_link_that_trying_all_paths_finds(
    kinds: list[str], chosen: set[int]
):
    links = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    yes, no = (
        masks(6, [link for link, said in zip(links, kinds, strict=True) if said == kind]) for kind in ("yes", "no")
    )
    tried = []
    for one, another in (link for link in links if no[link[0]] >> link[1] & 1):
        others = set(range(6)) - {one, another}
        for length in range(1, 5):
            paths = [(one, *inner, another) for inner in permutations(others, length)]
            shortest = [path for path in paths if is_path(yes, path)]
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
    groups = [
        {pair: [crowd.random() < share for _ in range(5)] for pair in combinations(range(7), 2)}
        for share in (0.3, 0.5, 0.7) * 50
    ]
    plans = [plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, votes) for votes in groups]
    monkeypatch.setattr(consensus, "first_contradiction", lambda yes, no, fresh, _: first_contradiction(yes, no, fresh))
    assert plans == [plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, votes) for votes in groups]
