"""The evidence of two mentions' words."""

import numpy as np

from pipeline.rules.linking.prior.text_features import FEATURES, context, pair_features, stem
from pipeline.rules.linking.transitivity import LinkMention


def mention(phrase: str, caption: int, *, start: int = 0, kind: str = "people") -> LinkMention:
    words = tuple(phrase.split())
    head = words[-1] if words else "man"
    return LinkMention(10 * caption + start, caption, start, frozenset({kind}), head, words)


def said(one: str, another: str) -> set[str]:
    features = pair_features([mention(one, 0), mention(another, 1)])
    return {name for name, value in zip(FEATURES, features[0, 1], strict=True) if value}


def test_two_phrases_have_the_feature():
    for one, another, name in [
        ("a tall man", "the tall man", "same content words"),
        ("a man", "two men", "same head"),
        ("two boxes", "a box", "same head"),
        ("a street vendor", "a street performer", "other word shared"),
        ("a dog", "an animal", "number agrees"),
        ("two men", "a group of people", "number agrees"),
        ("3 girls", "three girls", "number agrees"),
        ("a crowd", "people", "number agrees"),
        ("a 1965 Mustang", "a car", "number agrees"),
        ("a man", "men", "number differs"),
        ("two men", "three men", "number differs"),
        ("one of the men", "the men", "number differs"),
        ("a grey shirt", "a dark-gray top", "colour agrees"),
        ("a red and white shirt", "red clothes", "colour agrees"),
        ("a red shirt", "a blue shirt", "colour differs"),
        ("two ladies", "women", "gender or age agrees"),
        ("a man", "a woman", "gender or age differs"),
        ("an elderly person", "a toddler", "gender or age differs"),
        ("two men", "two boys", "people of one number"),
        ("several men", "people", "people of one number"),
        ("a video game", "a game console", "head in other words"),
        ("a skateboarder", "a boarder", "related heads"),
        ("a football", "a footballer", "related heads"),
    ]:
        assert name in said(one, another), f"{one} / {another}"


def test_two_phrases_do_not_have_the_feature():
    for one, another, name in [
        ("a tall man", "a man", "same content words"),
        ("a man", "a person", "same head"),
        ("a man of the street", "a woman of the street", "other word shared"),
        ("the man", "the woman", "other word shared"),
        ("a red shirt", "a shirt", "colour differs"),
        ("a man", "a person", "gender or age differs"),
        ("a girl", "a young woman", "gender or age differs"),
        ("a boy", "a child", "gender or age agrees"),
        ("two men", "three men", "people of one number"),
        ("a game", "a game of games", "head in other words"),
        ("a boat", "two boats", "related heads"),
        ("a cat", "a tomcat", "related heads"),
    ]:
        assert name not in said(one, another), f"{one} / {another}"


def test_a_feature_that_differs_never_agrees_as_well():
    assert "gender or age agrees" not in said("a man", "a male baby")


def test_the_second_of_a_type_in_a_caption_has_the_rank_of_another_second():
    group = [mention("a man", 0), mention("a boy", 0, start=4), mention("a man", 1), mention("a child", 1, start=4)]
    same_rank = pair_features(group)[:, :, FEATURES.index("same rank")]
    assert same_rank.tolist() == [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]


def test_mentions_of_another_type_do_not_move_the_rank():
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
        mention("a horse", 0)._replace(before=("is", "riding")),
        mention("a pony", 1)._replace(before=("rides",)),
        mention("a cart", 2)._replace(before=("behind",)),
        mention("a wagon", 3)._replace(before=("boy", "behind")),
        mention("a man", 4),
        mention("a boy", 5),
    ]
    features = pair_features(group)
    shared = features[:, :, FEATURES.index("context shared")]
    same = features[:, :, FEATURES.index("same word before")]
    assert np.argwhere(np.triu(shared)).tolist() == [[0, 1]]
    assert np.argwhere(np.triu(same)).tolist() == [[2, 3]]


def test_features_are_the_same_both_ways_and_nothing_on_the_diagonal():
    features = pair_features([mention("a man", 0), mention("two men", 1), mention("a red man", 2)])
    assert np.array_equal(features, features.transpose(1, 0, 2))
    assert not features.diagonal().any()


def test_mentions_without_words_are_compared_by_their_heads():
    features = pair_features([mention("", 0), mention("", 1)])
    assert features[0, 1, FEATURES.index("same head")] == 1


def test_a_group_of_no_mentions_has_no_pairs():
    assert pair_features([]).shape == (0, 0, len(FEATURES))


def test_the_context_is_the_last_word_and_the_stems_of_what_happens() -> None:
    assert context(("man", "is", "riding", "on")) == ("on", frozenset({"man", "rid"}))


def test_signs_and_words_of_grammar_tell_nothing() -> None:
    assert context((",", "next", "to", "the")) == ("the", frozenset())
    assert context(()) == ("", frozenset())


def test_forms_of_a_verb_have_one_stem() -> None:
    for words in ("riding rides ride", "running runs run", "jumped jumping", "sits sitting"):
        assert len({stem(word) for word in words.split()}) == 1, words


def test_short_words_stay_as_they_are() -> None:
    assert [stem(word) for word in ("red", "bus", "sing")] == ["red", "bus", "sing"]
