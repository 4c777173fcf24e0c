"""Boxes and chains that are searched for a counterexample."""

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.box import Box, iou
from annotation.rules.box_merge import merge_chains


@st.composite
def small_boxes(draw: st.DrawFn) -> Box:
    x0, y0 = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    return Box(x0, y0, draw(st.integers(x0 + 1, 12)), draw(st.integers(y0 + 1, 12)))


def pixels(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box.x0, box.x1) for y in range(box.y0, box.y1)}


@settings(max_examples=60)
@given(small_boxes(), small_boxes())
def test_iou_counts_pixels(a: Box, b: Box):
    assert iou(a, b) == iou(b, a) == len(pixels(a) & pixels(b)) / len(pixels(a) | pixels(b))


@settings(max_examples=50)
@given(st.dictionaries(st.integers(1, 12), st.frozensets(st.integers(1, 3))))
def test_it_puts_every_chain_into_one_group(boxes_of: dict[int, frozenset[int]]):
    groups = merge_chains(boxes_of)
    assert sorted(chain for group in groups for chain in group) == sorted(boxes_of)
    for group in groups:
        assert len({boxes_of[chain] for chain in group}) == 1
