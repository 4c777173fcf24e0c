from pipeline.rules.linking.transitivity import (
    LinkMention,
    can_corefer,
    connected,
    groups,
    peers,
    positions,
)


def mention(number: int, caption: int, start: int = 0, types: str = "people") -> LinkMention:
    return LinkMention(number, caption, start, frozenset(types.split("/")), "man")


def numbers(parts: list[tuple[LinkMention, ...]]) -> list[list[int]]:
    return [[one.number for one in part] for part in parts]


def test_mentions_of_one_caption_cannot_corefer():
    assert not can_corefer(mention(1, 0), mention(2, 0, start=3))


def test_mentions_without_a_common_type_cannot_corefer():
    assert not can_corefer(mention(1, 0), mention(2, 1, types="scene"))


def test_one_common_type_is_enough_to_corefer():
    assert can_corefer(mention(1, 0, types="scene/other"), mention(2, 1, types="other/people"))


def test_a_mention_with_two_types_joins_the_groups_of_both():
    found = groups([mention(3, 1, types="scene"), mention(1, 0), mention(2, 0, 4, "people/scene"), mention(4, 2)])
    assert numbers(found) == [[1, 2, 3, 4]]


def test_groups_come_in_reading_order_whatever_the_numbers():
    found = groups([mention(1, 2), mention(2, 0, 5, "scene"), mention(3, 1, types="scene"), mention(9, 0, 1)])
    assert numbers(found) == [[9, 1], [2, 3]]


def test_a_mention_without_types_is_a_group_of_its_own():
    untyped = LinkMention(5, 1, 0, frozenset(), "it")
    assert numbers(groups([mention(1, 0), untyped])) == [[1], [5]]


def masks(size: int, links: list[tuple[int, int]]) -> list[int]:
    found = [0] * size
    for one, another in links:
        found[one] |= 1 << another
        found[another] |= 1 << one
    return found


def test_components_are_sets_of_positions_by_their_first():
    assert [list(positions(part)) for part in connected(masks(5, [(1, 4), (0, 3)]))] == [[0, 3], [1, 4], [2]]


def test_peers_share_a_key_and_include_oneself():
    assert peers([("a", "b"), ("b",), (), ("a",)]) == [0b1011, 0b0011, 0b0100, 0b1001]
