from pipeline.rules.linking.transitivity import (
    PLANNED_WHOLE,
    LinkMention,
    can_corefer,
    connected,
    groups,
    part_of,
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


def test_a_large_group_is_split_so_that_those_of_one_head_stay_together():
    heads = ["man", "guy", "boy"]
    mentions = [LinkMention(n, n % 40, n, frozenset({"people"}), heads[n % 3]) for n in range(120)]
    found = groups(mentions)
    assert [len(part) for part in found] == [40, 40, 40]
    assert all(len({one.head for one in part}) == 1 for part in found)
    assert len(groups(mentions[:PLANNED_WHOLE])) == 1
    assert all(len(part) <= PLANNED_WHOLE for part in groups([one._replace(head="man") for one in mentions]))
    nurse, dog = mentions[0]._replace(start=120, head="nurse"), mention(121, 0, 121, "animals")
    assert [len(part) for part in groups([*mentions, nurse, dog])] == [40, 40, 41, 1]
    mixed = [one._replace(types=frozenset({"people", "other"}), head="man") for one in mentions[:40]]
    assert [len(part) for part in groups([*mixed, *(one._replace(head="man") for one in mentions[40:80])])] == [40, 40]


def test_a_large_group_is_split_so_that_families_of_one_type_stay_together():
    families = [("people", "man"), ("clothing", "coat"), ("people", "boy"), ("clothing", "hat")]
    mentions = [LinkMention(n, n // 30, n, frozenset({types}), head) for n, (types, head) in enumerate(families * 30)]
    both = mention(120, 9, 120, "clothing/people")
    assert {"coat", "hat"} in [{one.head for one in part} for part in groups([*mentions, both])]


def test_a_large_group_of_long_captions_is_split_between_captions():
    mentions = [
        LinkMention(n, n // 25, n % 25, frozenset({"people"}), "man", part=part_of(n % 25, 0, pronoun=False))
        for n in range(100)
    ]
    assert [sorted({one.caption for one in part}) for part in groups(mentions)] == [[0, 1], [2, 3]]


def test_mentions_of_two_sentences_can_corefer_where_sentences_count_and_pronouns_within_one():
    man, guy, he = (
        mention(number, 0, number)._replace(part=part_of(sentence, number, pronoun=pronoun))
        for number, sentence, pronoun in ((1, 0, False), (2, 1, False), (3, 1, True))
    )
    assert can_corefer(man, guy)
    assert can_corefer(guy, he)
    assert not can_corefer(guy, guy._replace(number=4, start=9))
    assert part_of(1, 0, pronoun=True) != part_of(1, 5, pronoun=False)


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
