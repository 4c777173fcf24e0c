"""The features of pairs of phrases and of chains, and heads that captions use alike."""

from collections.abc import Sequence

import numpy as np
import pytest

from annotation.rules.transitivity import LinkMention
from belief.links.join_features import DEFAULT_JOINS, JOIN_FEATURES, chain_pairs
from belief.links.link_prior import DEFAULT, PHRASES_ALIKE, LinkPrior
from belief.links.text_features import (
    FEATURES,
    MAX_PAIRS,
    NO_RIVAL,
    VECTOR_SIZE,
    alike_heads,
    context,
    head_pair,
    head_values,
    packed,
    pair_features,
    phrases_alike,
    stem,
)
from tests.support.table import case, row


def mention(phrase: str, caption: int, *, start: int = 0, kind: str = "people") -> LinkMention:
    words = tuple(phrase.split())
    head = words[-1] if words else "man"
    return LinkMention(10 * caption + start, caption, start, frozenset({kind}), head, words)


def said(one: str, another: str) -> set[str]:
    features = pair_features([mention(one, 0), mention(another, 1)])
    return {name for name, value in zip(FEATURES, features[0, 1], strict=True) if value}


@row("a tall man", "the tall man", "same content words")
@row("a man", "two men", "same head")
@row("two boxes", "a box", "same head")
@row("a street vendor", "a street performer", "other word shared")
@row("a dog", "an animal", "number agrees")
@row("two men", "a group of people", "number agrees")
@row("3 girls", "three girls", "number agrees")
@row("a crowd", "people", "number agrees")
@row("a 1965 Mustang", "a car", "number agrees")
@row("a man", "men", "number differs")
@row("two men", "three men", "number differs")
@row("one of the men", "the men", "number differs")
@row("a grey shirt", "a dark-gray top", "colour agrees")
@row("a red and white shirt", "red clothes", "colour agrees")
@row("a red shirt", "a blue shirt", "colour differs")
@row("two ladies", "women", "gender or age agrees")
@row("a man", "a woman", "gender or age differs")
@row("an elderly person", "a toddler", "gender or age differs")
@row("two men", "two boys", "people of one number")
@row("several men", "people", "people of one number")
@row("a video game", "a game console", "head in other words")
@row("a skateboarder", "a boarder", "related heads")
@row("a football", "a footballer", "related heads")
def test_two_phrases_have_the_feature(one: str, another: str, name: str):
    assert name in said(one, another)


@row("a tall man", "a man", "same content words")
@row("a man", "a person", "same head")
@row("a man of the street", "a woman of the street", "other word shared")
@row("the man", "the woman", "other word shared")
@row("a red shirt", "a shirt", "colour differs")
@row("a man", "a person", "gender or age differs")
@row("a girl", "a young woman", "gender or age differs")
@row("a boy", "a child", "gender or age agrees")
@row("two men", "three men", "people of one number")
@row("a game", "a game of games", "head in other words")
@row("a boat", "two boats", "related heads")
@row("a cat", "a tomcat", "related heads")
# A feature that differs never agrees as well.
@row("a man", "a male baby", "gender or age agrees")
def test_two_phrases_do_not_have_the_feature(one: str, another: str, name: str):
    assert name not in said(one, another)


def test_the_second_of_a_type_in_a_caption_has_the_rank_of_another_second_and_mentions_of_another_type_do_not_move_it():
    group = [mention("a man", 0), mention("a boy", 0, start=4), mention("a man", 1), mention("a child", 1, start=4)]
    same_rank = pair_features(group)[:, :, FEATURES.index("same rank")]
    assert same_rank.tolist() == [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    group = [mention("a dog", 0, kind="animals"), mention("a man", 0, start=4), mention("a man", 1)]
    assert pair_features(group)[1, 2, FEATURES.index("same rank")] == 1


def test_both_first_are_those_that_begin_their_captions():
    group = [mention("a man", 0), mention("a man", 1), mention("a man", 2, start=3), mention("a man", 3, start=3)]
    both_first = pair_features(group)[:, :, FEATURES.index("both first")]
    assert both_first.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0] * 4, [0] * 4]


def test_dogs_of_one_number_are_no_people():
    group = [mention("a dog", 0, kind="animals"), mention("a poodle", 1, kind="animals")]
    assert not pair_features(group)[0, 1, FEATURES.index("people of one number")]


def test_words_before_two_mentions_are_compared():
    group = [
        mention("a horse", 0)._replace(before=("is", "riding")), mention("a pony", 1)._replace(before=("rides",)),
        mention("a cart", 2)._replace(before=("behind",)),
        mention("a wagon", 3)._replace(before=("boy", "behind")), mention("a man", 4), mention("a boy", 5),
    ]  # fmt: skip
    features = pair_features(group)
    shared = features[:, :, FEATURES.index("context shared")]
    same = features[:, :, FEATURES.index("same word before")]
    assert np.argwhere(np.triu(shared)).tolist() == [[0, 1]] and np.argwhere(np.triu(same)).tolist() == [[2, 3]]


def test_features_are_the_same_both_ways_and_nothing_on_the_diagonal_and_a_group_of_no_mentions_has_no_pairs():
    features = pair_features([mention("a man", 0), mention("two men", 1), mention("a red man", 2)])
    assert np.array_equal(features, features.transpose(1, 0, 2))
    assert not features.diagonal().any()
    assert pair_features([]).shape == (0, 0, len(FEATURES))


def test_mentions_without_words_are_compared_by_their_heads():
    assert pair_features([mention("", 0), mention("", 1)])[0, 1, FEATURES.index("same head")] == 1


def test_the_context_is_the_last_word_and_the_stems_of_what_happens_and_signs_and_grammar_tell_nothing() -> None:
    assert context(("man", "is", "riding", "on")) == ("on", frozenset({"man", "rid"}))
    assert context((",", "next", "to", "the")) == ("the", frozenset()) and context(()) == ("", frozenset())


def test_forms_of_a_verb_have_one_stem_and_short_words_stay_as_they_are() -> None:
    for words in ("riding rides ride", "running runs run", "jumped jumping", "sits sitting"):
        assert len({stem(word) for word in words.split()}) == 1, words
    assert [stem(word) for word in ("red", "bus", "sing")] == ["red", "bus", "sing"]


def named_mention(number: int, caption: int, text: str, *types: str, start: int | None = None) -> LinkMention:
    words = tuple(text.split())
    place = 4 * number if start is None else start
    return LinkMention(number, caption, place, frozenset(types or ("other",)), words[-1], words)


def told_of_join(one: list[LinkMention], other: list[LinkMention]) -> dict[str, float]:
    """Return the facts of two chains that are not 0."""
    values = chain_pairs([one, other]).values[0, 1].tolist()
    return {name: value for name, value in zip(JOIN_FEATURES, values, strict=True) if value}


def apart(one: list[LinkMention], other: list[LinkMention]) -> bool:
    return bool(chain_pairs([one, other]).apart[0, 1])


def test_two_mentions_of_one_caption_are_kept_apart_but_a_chain_not_from_itself() -> None:
    assert apart([named_mention(0, 0, "a table")], [named_mention(1, 0, "the table")])
    assert not apart([named_mention(0, 0, "a table")], [named_mention(1, 1, "the table")])
    pairs = chain_pairs([[named_mention(0, 0, "a table"), named_mention(1, 0, "the table")]])
    assert pairs.apart.tolist() == [[False]]


def test_mentions_without_a_common_type_are_kept_apart() -> None:
    bike, hop = named_mention(0, 0, "his bike", "vehicles"), named_mention(1, 1, "his bicycle hop", "other")
    assert apart([bike], [hop]) and not apart([bike], [named_mention(1, 1, "a cycle", "vehicles", "other")])


def test_chains_of_two_parts_of_a_large_group_are_kept_apart() -> None:
    pairs = chain_pairs([[named_mention(n, n % 40, "a man", start=n)._replace(part=(n, 0))] for n in range(80)])
    assert not pairs.apart[0, 41], "both stand in the first captions"
    assert pairs.apart[0, 39]


TABLE, SAND, BEACH = (
    named_mention(0, 0, "a table", start=0),
    named_mention(0, 0, "sand"),
    named_mention(1, 1, "sea", "scene"),
)
TABLES = [TABLE, named_mention(1, 1, "a table")]
TABLE_AND_WOOD = [named_mention(2, 1, "the table", start=9), named_mention(3, 2, "the wood")]
MEN, BOYS = (
    [named_mention(n + caption, caption, text, "people") for caption in (0, 1)]
    for n, text in ((0, "a man"), (2, "a boy"))
)


@case("a head counts once however many mentions have it", TABLES, TABLE_AND_WOOD, "any same head", 1.0)
@case("any two chains", TABLES, TABLE_AND_WOOD, "any two chains", 1.0)
@case("of other words the share of the pairs", MEN[:1], [TABLE, named_mention(2, 1, "men")], "number differs", 0.5)
@case("captions that overlap twice", MEN, BOYS, "two captions shared", 1.0)
@case("captions that overlap once", MEN, BOYS[:1], "two captions shared", 0.0)
@case("a word between", [TABLE], [named_mention(1, 0, "wood", start=3)], "one next to the other", 1.0)
@case("two words between", [TABLE], [named_mention(1, 0, "wood", start=4)], "one next to the other", 0.0)
@case("a scene and something other", [SAND], [BEACH], "scene and other", 1.0)
@case("in either order", [BEACH], [SAND], "scene and other", 1.0)
def test_two_chains_have_the_fact(one: list[LinkMention], other: list[LinkMention], name: str, value: float) -> None:
    assert told_of_join(one, other).get(name, 0.0) == value


def test_the_default_weighs_known_facts_only() -> None:
    assert set(DEFAULT_JOINS) <= set(JOIN_FEATURES)


MAN, BOY, NEITHER = packed(np.array([[1.0, *[0.0] * 63], [0.0, 1.0, *[0.0] * 62], [0.0] * VECTOR_SIZE]))


def phrase_mention(caption: int, start: int, vector: str) -> LinkMention:
    return LinkMention(10 * caption + start, caption, start, frozenset({"people"}), "x", ("x",), (), vector)


def test_a_packed_vector_is_short_and_keeps_its_cosines_but_for_a_hundredth_and_one_that_says_nothing_is_none() -> None:
    vectors = np.random.default_rng(1).normal(size=(20, VECTOR_SIZE))
    short = packed(vectors)
    assert {len(one) for one in short} == {VECTOR_SIZE} and set("".join(short)) <= set("0123456789abcde")
    again = np.array([[int(digit, 16) - 7 for digit in one] for one in short])

    def cosines(of: np.ndarray) -> np.ndarray:
        unit = of / np.linalg.norm(of, axis=1, keepdims=True)
        return unit @ unit.T

    assert np.abs(cosines(again) - cosines(vectors)).mean() < 0.02
    assert packed(3 * vectors) == short, "only the direction counts"
    assert NEITHER == ""
    assert packed(np.zeros((0, VECTOR_SIZE))) == []


def test_a_phrase_is_more_alike_to_one_of_its_meaning_than_to_the_other_phrase_of_that_caption() -> None:
    a_man, the_man, the_boy = phrase_mention(0, 0, MAN), phrase_mention(1, 0, MAN), phrase_mention(1, 3, BOY)
    values = phrases_alike([a_man, the_man, the_boy])
    assert values[0, 1] == values[1, 0] == pytest.approx(2 - 0 - NO_RIVAL)
    assert values[0, 2] == values[2, 0] == pytest.approx(0 - 1 - NO_RIVAL)
    assert values[1, 2] == 0, "one caption"
    assert not values.diagonal().any()


def test_a_phrase_without_a_vector_is_no_rival_and_like_no_other_and_where_none_has_one_only_the_two_count() -> None:
    values = phrases_alike([phrase_mention(0, 0, MAN), phrase_mention(1, 0, MAN), phrase_mention(1, 3, "")])
    assert values[0, 1] == pytest.approx(2 - 2 * NO_RIVAL) and values[0, 2] == values[2, 0] == 0
    assert not phrases_alike([phrase_mention(0, 0, ""), phrase_mention(1, 0, "")]).any()
    assert phrases_alike([]).shape == (0, 0)
    assert phrases_alike([phrase_mention(0, 0, MAN), phrase_mention(1, 0, BOY)])[0, 1] == pytest.approx(-2 * NO_RIVAL)


def test_a_prior_weighs_vectors_where_phrases_have_them() -> None:
    without, same, other = (
        DEFAULT.words([phrase_mention(0, 0, one), phrase_mention(1, 0, another)])[0, 1]
        for one, another in (("", ""), (MAN, MAN), (MAN, BOY))
    )
    weight = DEFAULT.pairs[PHRASES_ALIKE]
    assert same - without == pytest.approx(weight * (2 - 2 * NO_RIVAL))
    assert other - without == pytest.approx(weight * -2 * NO_RIVAL)
    # Older priors know no vectors.
    older = LinkPrior(DEFAULT.sizes, {name: one for name, one in DEFAULT.pairs.items() if name != PHRASES_ALIKE})
    assert older.words([phrase_mention(0, 0, MAN), phrase_mention(1, 0, MAN)])[0, 1] == without


def image(*captions: str, kind: str = "people") -> list[LinkMention]:
    """The words of a caption are its heads, all of one type."""
    return [
        LinkMention(10 * number + start, number, start, frozenset({kind}), head)
        for number, caption in enumerate(captions)
        for start, head in enumerate(caption.split())
    ]


PAIRS = [
    *[image("guy woman", "man woman")] * 8, *[image("guy", "man")] * 4, *[image("woman", "woman")] * 4,
    *[image("man", "man")] * 4,
]  # fmt: skip


def test_heads_that_stand_for_each_other_are_alike_and_those_beside_each_other_are_not() -> None:
    alike = alike_heads(PAIRS)
    assert alike["guy man"] > 0.5 and alike["woman woman"] > 0.5
    assert alike["man woman"] < -0.5 and alike["guy woman"] < -0.5


def test_few_meetings_say_little_and_only_the_pairs_that_say_most_are_kept() -> None:
    rare = [*PAIRS, image("clown", "man")]
    assert 0 < alike_heads(rare).get("clown man", 0.1) < alike_heads(rare)["guy man"]
    whole = alike_heads(PAIRS)
    assert alike_heads(PAIRS, max_pairs=2).items() <= whole.items() and len(whole) > 2
    assert len(alike_heads(PAIRS, max_pairs=2)) == 2 <= MAX_PAIRS


def test_heads_of_one_caption_or_of_no_common_type_never_meet() -> None:
    mixed = [*image("man hat"), *(one._replace(caption=1) for one in image("shoe", kind="clothing"))]
    assert alike_heads([*PAIRS, mixed, image("man boy")]).keys() == alike_heads(PAIRS).keys()


def test_captions_without_phrases_say_nothing_and_the_order_of_images_does_not_matter() -> None:
    assert alike_heads([]) == {} == alike_heads([[], image("man")])
    assert alike_heads(PAIRS) == alike_heads(PAIRS[::-1])


def test_a_pair_has_one_name_in_either_order_and_a_group_its_heads_values_and_nothing_on_the_diagonal() -> None:
    assert head_pair("man", "guy") == head_pair("guy", "man") == "guy man"
    group: Sequence[LinkMention] = image("man", "guy", "man")
    assert head_values(group, {"guy man": 1.5, "man man": 2.0}).tolist() == [[0, 1.5, 2], [1.5, 0, 1.5], [2, 1.5, 0]]
    assert head_values([], {}).shape == (0, 0)
