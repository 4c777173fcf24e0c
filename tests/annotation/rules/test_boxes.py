import pytest

from annotation.rules.box import Box, iou
from pipeline.protocol.boxes.merge_boxes import BoxToMerge, MergedGroup, MergeRules, merge_boxes, merge_chains
from tests.support.table import case


def test_a_box_ends_before_its_last_coordinates():
    assert Box(2, 3, 4, 7).area == 8
    assert iou(Box(0, 0, 2, 2), Box(2, 0, 4, 2)) == 0.0


def test_it_fits_only_whole_inside_the_image():
    boxes = (0, 0, 10, 5), (0, 0, 11, 5), (-1, 0, 10, 5), (3, 0, 3, 5)
    assert [Box(*box).fits(10, 5) for box in boxes] == [True, False, False, False]


RULES = MergeRules()
TYPES = ["people", "clothing", "scene", "vehicles", "other", "animals"]


def entry(box: tuple[int, int, int, int], types: str = "people", chain: int = 0) -> BoxToMerge:
    return BoxToMerge(Box(*box), frozenset(types.split("/")) if types else frozenset(), chain)


def people(*boxes: tuple[int, int, int, int], types: str = "people") -> list[BoxToMerge]:
    """Boxes of as many chains."""
    return [entry(box, types, chain) for chain, box in enumerate(boxes)]


def members(boxes: list[BoxToMerge], rules: MergeRules = RULES) -> list[tuple[int, ...]]:
    return [group.members for group in merge_boxes(boxes, rules).groups]


def test_boxes_merge_at_exactly_the_threshold_and_not_below():
    assert members(people((0, 0, 10, 10), (0, 0, 10, 8))) == [(0, 1)]  # IOU 0.8, 0.9 and 0.89 with the mean
    assert members(people((0, 0, 100, 100), (0, 0, 100, 79))) == [(0,), (1,)]
    for rules, less in ((RULES, 8), (MergeRules(0.5), 5)):
        whole, part = (0, 0, 10, 10), (0, 0, 10, less)
        assert members(people(whole, part), rules) == [(0, 1)]
        # The means of two groups, the larger of which is the older or the newer one.
        assert members(people(whole, part, part), rules) == members(people(whole, whole, part), rules) == [(0, 1, 2)]
    assert members(people((0, 0, 10, 10), (0, 0, 10, 10)), MergeRules(1, 1)) == [(0, 1)]


def test_boxes_of_one_pixel_merge_as_others_do():
    for thin in ((0, 0, 1, 10), (0, 0, 10, 1)):
        assert members(people(thin, thin, thin)) == [(0, 1, 2)], thin
    assert members(people((0, 0, 1, 1), (0, 0, 1, 1), (5, 5, 6, 6))) == [(0, 1), (2,)]


def test_other_on_either_side_asks_for_more():
    close, less = (0, 0, 10, 9), (0, 0, 20, 17)
    assert members([entry((0, 0, 10, 10), "other"), entry(close, "people", 1)]) == [(0, 1)]
    assert members([entry((0, 0, 20, 20), "other"), entry(less, "people", 1)]) == [(0,), (1,)]
    assert members([entry((0, 0, 20, 20), "people"), entry(less, "people/other", 1)]) == [(0,), (1,)]
    assert members([entry((0, 0, 20, 20), "people"), entry(less, "people", 1)]) == [(0, 1)]


def test_once_other_is_in_a_group_all_its_members_must_be_that_close():
    # The first two join at 0.85; the third, "other", equals their mean, but the first two are not within 0.9 of it.
    boxes = [*people((0, 0, 100, 100), (0, 0, 100, 80)), entry((0, 0, 100, 90), "people/other", 2)]
    assert members(boxes[:2]) == [(0, 1)]
    # 0 and 2 have IOU exactly 0.9 and are tried first; 1 has IOU 0.8 with 0, so the three can never be one.
    assert members(boxes) == [(0, 2), (1,)]


def test_the_means_of_two_groups_must_be_that_close_too():
    # With the mean of all three each member has 0.91 or more, but the means of the two groups have 0.88.
    pair = people((0, 0, 100, 100), (0, 0, 100, 100))
    assert members([*pair, entry((0, 0, 100, 88), "other", 2)]) == [(0, 1), (2,)]
    assert members([*pair, entry((0, 0, 100, 88), "people", 2)]) == [(0, 1, 2)]


def test_types_that_share_nothing_need_to_be_allowed_pair_by_pair():
    same = (0, 0, 10, 10)

    def merges(first: str, second: str) -> bool:
        return members([entry(same, first, 0), entry(same, second, 1)]) == [(0, 1)]

    assert merges("people", "other") and merges("scene", "vehicles") and merges("people/clothing", "clothing")
    assert not merges("people", "clothing")
    assert not merges("people/other", "clothing")  # people with clothing is not allowed
    assert not merges("scene/other", "animals")
    assert merges("", "animals")  # no type counts as other


def test_every_pair_of_members_must_be_allowed():
    same = (0, 0, 10, 10)
    assert members([entry(same, "people", 0), entry(same, "other", 1), entry(same, "clothing", 2)]) == [(0, 1), (2,)]


def test_two_boxes_of_one_chain_never_meet_in_a_group():
    same = (0, 0, 10, 10)
    assert members([entry(same, chain=1), entry(same, chain=1)]) == [(0,), (1,)]
    assert members([entry(same, chain=1), entry(same, chain=2), entry(same, chain=1)]) == [(0, 1), (2,)]


def test_the_boxes_first_accepted_win_a_tie():
    middle, left, right = (10, 0, 110, 10), (5, 0, 105, 10), (15, 0, 115, 10)
    rules = MergeRules(0.88)
    assert members(people(middle, left, right), rules) == [(0, 1), (2,)]
    assert members(people(middle, right, left), rules) == [(0, 1), (2,)]
    assert members(people(left, right, middle), rules) == [(0, 2), (1,)]
    assert members(people(middle, left, right, left), rules) == [(0, 1, 3), (2,)]
    here, near, there, near_there = (0, 0, 10, 10), (0, 0, 10, 9), (50, 0, 60, 10), (50, 0, 60, 9)
    joins = merge_boxes(people(here, there, near_there, here, near)).joins
    assert [join[:2] for join in joins] == [((0,), (3,)), ((0, 3), (4,)), ((1,), (2,))]


def test_the_mean_is_of_all_original_members_and_rounded_half_up():
    assert merge_boxes(people((0, 1, 100, 100), (1, 2, 101, 101))).groups[0].box == Box(1, 2, 101, 101)
    three = people((0, 0, 100, 100), (0, 0, 100, 100), (2, 1, 101, 102))
    assert merge_boxes(three).groups == [MergedGroup((0, 1, 2), Box(1, 0, 100, 101))]


def test_a_member_too_far_from_the_mean_keeps_the_groups_apart():
    # Each next box has IOU 0.87 with the one before; all four in one group would leave the ends below 0.8.
    result = merge_boxes(people(*[(step, 0, step + 100, 10) for step in (0, 7, 14, 21)]), MergeRules(0.85))
    assert [group.members for group in result.groups] == [(0, 1), (2, 3)]


def test_a_refused_pair_is_tried_again_when_one_side_has_changed():
    high = [(10, 11, 115, 97), (16, 6, 115, 90)]
    low = [(7, 12, 103, 93), (5, 12, 104, 92), (3, 6, 105, 96)]
    between = (1, 3, 110, 91)
    refused = merge_boxes(people(*high, *low))
    assert [group.members for group in refused.groups] == [(0, 1), (2, 3, 4)]
    means = [group.box for group in refused.groups]
    assert iou(*means) >= RULES.threshold  # near enough to be tried, but a member is too far from the mean of all five
    joined = merge_boxes(people(*high, *low, between))
    assert [join[:2] for join in joined.joins][-2:] == [((2, 3, 4), (5,)), ((0, 1), (2, 3, 4, 5))]


def test_the_log_names_every_join():
    boxes = [entry((0, 0, 10, 10), "people", 0), entry((0, 0, 10, 10), "other", 1), entry((0, 0, 10, 9), "people", 2)]
    joins = merge_boxes(boxes).joins
    assert joins[0] == ((0,), (1,), 1.0, frozenset({"people"}), frozenset({"other"}))
    assert joins[1] == ((0, 1), (2,), 0.9, frozenset({"people", "other"}), frozenset({"people"}))


def test_an_image_without_boxes_has_no_groups():
    assert merge_boxes([]) == ([], [])


@pytest.mark.parametrize("value", [0, -0.1, 1.1, float("nan")])
def test_it_refuses_thresholds_that_are_no_overlap(value: float):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        MergeRules(other_threshold=value)


def boxes(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def test_it_joins_chains_with_exactly_the_same_boxes():
    assert merge_chains({1: boxes(7), 2: boxes(7, 8), 3: boxes(8, 7), 4: boxes(7)}) == [(1, 4), (2, 3)]


@case("it leaves chains apart whose boxes only overlap", {1: boxes(7), 2: boxes(7, 8), 3: boxes(8)}, [(1,), (2,), (3,)])
@case("it never joins chains without a box", {1: boxes(), 2: boxes(), 3: boxes()}, [(1,), (2,), (3,)])
@case("it names a merged chain by the first in reading order", {9: boxes(1), 4: boxes(2), 2: boxes(1)}, [(9, 2), (4,)])
def test_merge_chains(boxes_of, expected):
    assert merge_chains(boxes_of) == expected
