"""Facts about two chains that a rule of links keeps apart."""

from pipeline.rules.linking.prior.join_features import DEFAULT_JOINS, JOIN_FEATURES, chain_pairs
from pipeline.rules.linking.transitivity import LinkMention


def mention(number: int, caption: int, text: str, *types: str, start: int | None = None) -> LinkMention:
    words = tuple(text.split())
    place = 4 * number if start is None else start
    return LinkMention(number, caption, place, frozenset(types or ("other",)), words[-1], words)


def told(one: list[LinkMention], other: list[LinkMention]) -> dict[str, float]:
    """Return the facts of two chains that are not 0."""
    values = chain_pairs([one, other]).values[0, 1].tolist()
    return {name: value for name, value in zip(JOIN_FEATURES, values, strict=True) if value}


def apart(one: list[LinkMention], other: list[LinkMention]) -> bool:
    return bool(chain_pairs([one, other]).apart[0, 1])


def test_two_mentions_of_one_caption_are_kept_apart() -> None:
    assert apart([mention(0, 0, "a table")], [mention(1, 0, "the table")])
    assert not apart([mention(0, 0, "a table")], [mention(1, 1, "the table")])


def test_mentions_without_a_common_type_are_kept_apart() -> None:
    bike, hop = mention(0, 0, "his bike", "vehicles"), mention(1, 1, "his bicycle hop", "other")
    assert apart([bike], [hop])
    assert not apart([bike], [mention(1, 1, "a cycle", "vehicles", "other")])


def test_chains_of_two_parts_of_a_large_group_are_kept_apart() -> None:
    chains = [[mention(n, n % 40, "a man", start=n)._replace(part=(n, 0))] for n in range(80)]
    pairs = chain_pairs(chains)
    assert not pairs.apart[0, 41], "both stand in the first captions"
    assert pairs.apart[0, 39]


def test_a_chain_is_not_kept_apart_from_itself() -> None:
    pairs = chain_pairs([[mention(0, 0, "a table"), mention(1, 0, "the table")]])
    assert pairs.apart.tolist() == [[False]]


def test_a_head_counts_once_however_many_mentions_have_it() -> None:
    tables = [mention(0, 0, "a table"), mention(1, 1, "a table")]
    facts = told(tables, [mention(2, 1, "the table", start=9), mention(3, 2, "the wood")])
    assert facts["any same head"] == 1.0
    assert facts["any two chains"] == 1.0


def test_of_other_words_the_share_of_the_pairs_counts() -> None:
    facts = told([mention(0, 0, "two men", "people")], [mention(1, 0, "one", "other"), mention(2, 1, "two", "other")])
    assert facts["number differs"] == 0.5


def test_chains_whose_captions_overlap_twice_are_told() -> None:
    one = [mention(0, 0, "a man", "people"), mention(1, 1, "a man", "people")]
    other = [mention(2, 0, "a boy", "people"), mention(3, 1, "a boy", "people")]
    assert told(one, other)["two captions shared"] == 1.0
    assert "two captions shared" not in told(one, other[:1])


def test_mentions_with_a_word_between_them_at_most_are_next_to_each_other() -> None:
    table = mention(0, 0, "a table", start=0)
    assert told([table], [mention(1, 0, "wood", start=3)])["one next to the other"] == 1.0
    assert "one next to the other" not in told([table], [mention(1, 0, "wood", start=4)])


def test_a_scene_and_something_other_are_told_in_either_order() -> None:
    sand, beach = mention(0, 0, "the sand", "other"), mention(1, 1, "the beach", "scene")
    assert told([sand], [beach])["scene and other"] == told([beach], [sand])["scene and other"] == 1.0


def test_the_default_weighs_known_facts_only() -> None:
    assert set(DEFAULT_JOINS) <= set(JOIN_FEATURES)
