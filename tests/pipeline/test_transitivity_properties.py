"""Contradictions that are searched for a counterexample."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rules.linking.transitivity import contradiction


def masks(size: int, links: list[tuple[int, int]]) -> list[int]:
    found = [0] * size
    for one, another in links:
        found[one] |= 1 << another
        found[another] |= 1 << one
    return found


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["yes", "no", "unknown"]), min_size=15, max_size=15))
def test_it_finds_the_contradiction_that_trying_all_triangles_finds(kinds: list[str]):
    links = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    said = dict(zip(links, kinds, strict=True))
    tried = [
        (a, b, c)
        for a in range(6)
        for b in range(a + 1, 6)
        for c in range(b + 1, 6)
        if sorted([said[a, b], said[a, c], said[b, c]]) == ["no", "yes", "yes"]
    ]
    yes, no = (masks(6, [link for link in links if said[link] == kind]) for kind in ("yes", "no"))
    found = contradiction(yes, no)
    assert found == (tried[0] if tried else None)
