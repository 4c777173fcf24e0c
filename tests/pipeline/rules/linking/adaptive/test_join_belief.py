"""The belief about chains that a rule keeps apart."""

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, Heard
from pipeline.rules.linking.adaptive.join_belief import JoinBelief, believe_joins, in_order
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import LinkMention, Pair
from tests.pipeline.rules.linking.prior.test_join_features import mention

TABLES = [mention(0, 0, "a table"), mention(1, 0, "the table"), mention(2, 0, "a table top")]
YES, NO = Heard(same=True), Heard(same=False)


def believe(
    chains: list[LinkMention], heard: dict[Pair, list[Heard]] | None = None, given: dict[Pair, bool] | None = None
) -> JoinBelief:
    return believe_joins([[one] for one in chains], heard or {}, given or {}, DEFAULT, OF_PAPER)


def test_without_answers_two_chains_are_rather_two_things() -> None:
    belief = believe(TABLES[:2])
    assert 0.01 < belief.chances[0, 1] < 0.5
    assert belief.labels == (0, 1)
    assert belief.whole == pytest.approx((1 - belief.chances[0, 1],) * 2)


def test_answers_join_them() -> None:
    belief = believe(TABLES[:2], {(0, 1): [YES, YES]})
    assert belief.chances[0, 1] > 0.8
    assert belief.labels == (0, 0)


def test_an_answer_about_any_two_mentions_of_the_chains_counts() -> None:
    chains = [[mention(0, 0, "a table"), mention(3, 1, "a table")], [mention(1, 0, "the table", start=5)]]
    belief = believe_joins(chains, {(1, 3): [YES, YES]}, {}, DEFAULT, OF_PAPER)
    assert belief.labels == (0, 0)


def test_three_chains_can_become_one() -> None:
    heard = {(0, 1): [YES, YES], (1, 2): [YES, YES], (0, 2): [YES, YES]}
    belief = believe(TABLES, heard)
    assert belief.labels == (0, 0, 0)
    assert belief.parts == ((0, 1, 2),)


def test_chains_that_the_rules_allow_but_answers_keep_apart_are_not_joined_by_a_third() -> None:
    table, board, both = mention(0, 0, "a table"), mention(1, 1, "a table"), mention(2, 0, "the table", start=8)
    chains = [[table], [board], [both, both._replace(number=3, caption=1, start=8)]]
    belief = believe_joins(chains, {(0, 2): [YES] * 3, (1, 3): [YES] * 3}, {}, DEFAULT, OF_PAPER)
    assert belief.labels[0] != belief.labels[1]
    assert belief.chances[0, 2] == pytest.approx(belief.chances[1, 2])


def test_an_expert_decides_whatever_was_answered() -> None:
    assert believe(TABLES[:2], {(0, 1): [NO] * 5}, {(0, 1): True}).labels == (0, 0)
    assert believe(TABLES[:2], {(0, 1): [YES] * 5}, {(0, 1): False}).labels == (0, 1)


def test_what_is_far_too_unlikely_is_left_out() -> None:
    man, park = mention(0, 0, "three men", "people"), mention(1, 0, "a park", "scene")
    belief = believe([man, park])
    assert belief.parts == () and belief.chances == {}
    assert 0.99 < belief.whole[0] < 1.0


def test_pairs_are_named_in_reading_order() -> None:
    assert in_order(mention(5, 1, "a table"), mention(7, 0, "a table")) == (7, 5)
