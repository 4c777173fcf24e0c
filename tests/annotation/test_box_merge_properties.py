"""Merging against a brute-force search, on crowded boxes."""

from itertools import product
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotation.rules.box import Box
from annotation.rules.box_merge import BoxToMerge, MergedGroup, MergeRules, merge_boxes
from tests.support.brute_force_merge import brute_force_merge, permitted

RULES = MergeRules()
TYPES = ["people", "clothing", "scene", "vehicles", "other", "animals"]


@st.composite
def crowded(draw: st.DrawFn) -> list[BoxToMerge]:
    """Boxes that mostly are slightly different copies of two."""
    found = []
    for chain in range(draw(st.integers(1, 7))):
        base = draw(st.sampled_from([(10, 10, 50, 50), (12, 8, 52, 60)]))
        x0, y0, x1, y1 = (side + draw(st.integers(-3, 3)) for side in base)
        types = frozenset(draw(st.lists(st.sampled_from(TYPES[:5]), max_size=2)))
        found.append(BoxToMerge(Box(x0, y0, x1, y1), types, draw(st.sampled_from([chain, chain, 0]))))
    return found


thresholds = st.sampled_from([RULES, MergeRules(0.7, 0.8), MergeRules(0.9, 0.75), MergeRules(allowed=frozenset())])


@settings(max_examples=60)
@given(crowded(), thresholds)
def test_it_finds_what_a_brute_force_search_finds(boxes: list[BoxToMerge], rules: MergeRules):
    result, expected = merge_boxes(boxes, rules), brute_force_merge(boxes, rules)
    assert result.groups == [MergedGroup(*group) for group in sorted(expected.groups.items())]
    assert [join[:3] for join in result.joins] == [(a, b, float(overlap)) for a, b, overlap in expected.joins]


@settings(max_examples=40)
@given(crowded(), thresholds, st.randoms(use_true_random=False))
def test_it_does_not_depend_on_the_order_where_nothing_is_tied(
    boxes: list[BoxToMerge], rules: MergeRules, random: Random
):
    assume(not brute_force_merge(boxes, rules).tied)
    order = list(range(len(boxes)))
    random.shuffle(order)
    shuffled = merge_boxes([boxes[place] for place in order], rules)
    back = {tuple(sorted(order[member] for member in group.members)): group.box for group in shuffled.groups}
    assert back == {group.members: group.box for group in merge_boxes(boxes, rules).groups}


@settings(max_examples=30)
@given(crowded(), thresholds)
def test_it_never_puts_a_forbidden_pair_into_one_group(boxes: list[BoxToMerge], rules: MergeRules):
    for group in merge_boxes(boxes, rules).groups:
        for a, b in product(group.members, repeat=2):
            assert a == b or permitted(boxes[a], boxes[b], rules)
