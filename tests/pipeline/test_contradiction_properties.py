"""Contradictions that are searched for a counterexample."""

from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rules.linking.contradiction import first_contradiction


def masks(size: int, links: list[tuple[int, int]]) -> list[int]:
    found = [0] * size
    for one, another in links:
        found[one] |= 1 << another
        found[another] |= 1 << one
    return found


def is_path(yes: list[int], path: tuple[int, ...]) -> bool:
    return all(yes[one] >> another & 1 for one, another in pairwise(path))


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
    fresh = {links[place] for place in chosen}
    expected = [
        path for path in tried if any((min(p), max(p)) in fresh for p in [*pairwise(path), (path[0], path[-1])])
    ]
    expected.sort(key=lambda path: (len(path), sorted(path), path))
    assert first_contradiction(yes, no, masks(6, sorted(fresh))) == (expected[0] if expected else None)
