"""Likeness of phrases by their vectors."""

import numpy as np
import pytest

from pipeline.rules.linking.prior.link_prior import DEFAULT, PHRASES_ALIKE, LinkPrior
from pipeline.rules.linking.prior.phrase_vectors import NO_RIVAL, SIZE, packed, phrases_alike
from pipeline.rules.linking.transitivity import LinkMention

MAN, BOY, NEITHER = packed(np.array([[1.0, *[0.0] * 63], [0.0, 1.0, *[0.0] * 62], [0.0] * SIZE]))


def mention(caption: int, start: int, vector: str) -> LinkMention:
    return LinkMention(10 * caption + start, caption, start, frozenset({"people"}), "x", ("x",), (), vector)


def test_a_packed_vector_is_short_and_keeps_its_cosines_but_for_a_hundredth() -> None:
    vectors = np.random.default_rng(1).normal(size=(20, SIZE))
    short = packed(vectors)
    assert {len(one) for one in short} == {SIZE} and set("".join(short)) <= set("0123456789abcde")
    again = np.array([[int(digit, 16) - 7 for digit in one] for one in short])

    def cosines(of: np.ndarray) -> np.ndarray:
        unit = of / np.linalg.norm(of, axis=1, keepdims=True)
        return unit @ unit.T

    assert np.abs(cosines(again) - cosines(vectors)).mean() < 0.02
    assert packed(3 * vectors) == short, "only the direction counts"


def test_a_vector_that_says_nothing_is_none() -> None:
    assert NEITHER == ""
    assert packed(np.zeros((0, SIZE))) == []


def test_a_phrase_is_more_alike_to_one_of_its_meaning_than_to_the_other_phrase_of_that_caption() -> None:
    a_man, the_man, the_boy = mention(0, 0, MAN), mention(1, 0, MAN), mention(1, 3, BOY)
    values = phrases_alike([a_man, the_man, the_boy])
    assert values[0, 1] == values[1, 0] == pytest.approx(2 - 0 - NO_RIVAL)
    assert values[0, 2] == values[2, 0] == pytest.approx(0 - 1 - NO_RIVAL)
    assert values[1, 2] == 0, "one caption"
    assert not values.diagonal().any()


def test_where_no_caption_has_another_phrase_only_the_two_count() -> None:
    assert phrases_alike([mention(0, 0, MAN), mention(1, 0, BOY)])[0, 1] == pytest.approx(-2 * NO_RIVAL)


def test_a_phrase_without_a_vector_is_no_rival_and_alike_to_none() -> None:
    values = phrases_alike([mention(0, 0, MAN), mention(1, 0, MAN), mention(1, 3, "")])
    assert values[0, 1] == pytest.approx(2 - 2 * NO_RIVAL)
    assert values[0, 2] == values[2, 0] == 0
    assert not phrases_alike([mention(0, 0, ""), mention(1, 0, "")]).any()
    assert phrases_alike([]).shape == (0, 0)


def test_a_prior_weighs_vectors_where_phrases_have_them() -> None:
    without, same, other = (
        DEFAULT.scores([mention(0, 0, one), mention(1, 0, another)])[0][0, 1]
        for one, another in (("", ""), (MAN, MAN), (MAN, BOY))
    )
    weight = DEFAULT.pairs[PHRASES_ALIKE]
    assert same - without == pytest.approx(weight * (2 - 2 * NO_RIVAL))
    assert other - without == pytest.approx(weight * -2 * NO_RIVAL)
    older = LinkPrior(DEFAULT.sizes, {name: one for name, one in DEFAULT.pairs.items() if name != PHRASES_ALIKE})
    assert older.scores([mention(0, 0, MAN), mention(1, 0, MAN)])[0][0, 1] == without, "older priors know no vectors"
