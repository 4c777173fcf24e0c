"""Boxes, their merging and the types of phrases, compared with a brute-force search on drawn and on real cases."""

from itertools import islice, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotation.rules.box import Box, iou
from annotation.rules.dictionaries import load_dictionaries, read_list, types_of
from annotation.rules.mention_type import MentionType
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k.read import read_flickr30k
from pipeline.protocol.boxes.merge_boxes import BoxToMerge, MergedGroup, MergeRules, merge_boxes, merge_chains
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


@pytest.mark.slow
@settings(max_examples=60)
@given(crowded(), thresholds)
def test_it_finds_what_a_brute_force_search_finds(boxes: list[BoxToMerge], rules: MergeRules):
    result, expected = merge_boxes(boxes, rules), brute_force_merge(boxes, rules)
    assert result.groups == [MergedGroup(*group) for group in sorted(expected.groups.items())]
    assert [join[:3] for join in result.joins] == [(a, b, float(overlap)) for a, b, overlap in expected.joins]


@settings(max_examples=40)
@given(crowded(), thresholds, st.randoms(use_true_random=False))
def test_the_order_does_not_matter_where_nothing_is_tied(boxes: list[BoxToMerge], rules: MergeRules, random: Random):
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


def drawn_boxes(image: DatasetImage) -> list[BoxToMerge]:
    types: dict[str, set[str]] = {chain.name: set() for chain in image.chains}
    for mention in image.mentions:
        types[str(mention.chain)].update(mention.types)
    pairs = [(box.box, chain) for box in image.boxes for chain in box.chains]
    return [BoxToMerge(box, frozenset(types[chain]), int(chain)) for box, chain in pairs]


@pytest.mark.slow
def test_real_boxes_merge_as_a_brute_force_search_merges_them(data_folder: Path):
    joins = 0
    for image in islice(read_flickr30k(data_folder / "flickr30k-entities"), 100):
        assert isinstance(image, DatasetImage)
        boxes = drawn_boxes(image)
        result, expected = merge_boxes(boxes), brute_force_merge(boxes, MergeRules())
        assert {group.members: group.box for group in result.groups} == expected.groups, image.name
        assert [join[:2] for join in result.joins] == [join[:2] for join in expected.joins], image.name
        joins += len(result.joins)
    assert joins > 0


SHIPPED = load_dictionaries()


CHUNK = ("a", "of", "the", "group", "full", "red", "and", "dog", "hot", "men", "bar", ".", "full", "bottle", "water")


@settings(max_examples=100)
@given(st.lists(st.sampled_from([*CHUNK, "-"]), max_size=8))
def test_every_chunk_has_types_in_the_order_of_the_types(words: list[str]) -> None:
    found = types_of(words, SHIPPED)
    assert found and list(found) == [kind for kind in MentionType if kind in found]


def test_comments_and_empty_lines_of_a_list_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("# Words.\n\n Hot  Dog \nlamp\n", encoding="utf-8")
    assert read_list(tmp_path / "some.txt") == {"hot dog", "lamp"}
