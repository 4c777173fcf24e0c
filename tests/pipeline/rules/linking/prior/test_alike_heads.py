"""Head nouns of captions whose phrases nobody has linked."""

from collections.abc import Sequence

from pipeline.rules.linking.prior.alike_heads import MOST, alike_heads, head_pair, head_values
from pipeline.rules.linking.transitivity import LinkMention


def image(*captions: str, kind: str = "people") -> list[LinkMention]:
    """The words of a caption are its heads, all of one type."""
    return [
        LinkMention(10 * number + start, number, start, frozenset({kind}), head)
        for number, caption in enumerate(captions)
        for start, head in enumerate(caption.split())
    ]


PAIRS = [
    *[image("guy woman", "man woman")] * 8,
    *[image("guy", "man")] * 4,
    *[image("woman", "woman")] * 4,
    *[image("man", "man")] * 4,
]


def test_heads_that_stand_for_each_other_are_alike_and_those_beside_each_other_are_not() -> None:
    alike = alike_heads(PAIRS)
    assert alike["guy man"] > 0.5 and alike["woman woman"] > 0.5
    assert alike["man woman"] < -0.5 and alike["guy woman"] < -0.5


def test_few_meetings_say_little() -> None:
    rare = [*PAIRS, image("clown", "man")]
    assert 0 < alike_heads(rare).get("clown man", 0.1) < alike_heads(rare)["guy man"]


def test_heads_of_one_caption_or_of_no_common_type_never_meet() -> None:
    mixed = [*image("man hat"), *(one._replace(caption=1) for one in image("shoe", kind="clothing"))]
    assert alike_heads([*PAIRS, mixed, image("man boy")]).keys() == alike_heads(PAIRS).keys()


def test_captions_without_phrases_say_nothing() -> None:
    assert alike_heads([]) == {} == alike_heads([[], image("man")])


def test_only_the_pairs_that_say_most_are_kept() -> None:
    whole = alike_heads(PAIRS)
    assert alike_heads(PAIRS, most=2).items() <= whole.items() and len(whole) > 2
    assert len(alike_heads(PAIRS, most=2)) == 2 <= MOST


def test_the_order_of_images_does_not_matter() -> None:
    assert alike_heads(PAIRS) == alike_heads(PAIRS[::-1])


def test_a_pair_has_one_name_in_either_order() -> None:
    assert head_pair("man", "guy") == head_pair("guy", "man") == "guy man"


def test_a_group_has_the_values_of_its_heads_and_nothing_on_the_diagonal() -> None:
    group: Sequence[LinkMention] = image("man", "guy", "man")
    values = head_values(group, {"guy man": 1.5, "man man": 2.0})
    assert values.tolist() == [[0, 1.5, 2], [1.5, 0, 1.5], [2, 1.5, 0]]
    assert head_values([], {}).shape == (0, 0)
