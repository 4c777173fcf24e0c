"""Weights of joins, learnt from images whose chains are known."""

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, Heard
from pipeline.rules.linking.fits.fit_joins import fit_joins, joins_heard, joins_of, with_joins
from pipeline.rules.linking.prior.join_features import DEFAULT_JOINS
from pipeline.rules.linking.prior.link_prior import DEFAULT
from tests.pipeline.rules.linking.fits.test_fit_rule_keeping import image

AGAIN = image((0, "other", "table"), (0, "other", "table"), chains="AA")
TWO = image((0, "other", "table"), (0, "other", "table"), chains="AB")
WHOLE = image((0, "other", "table"), (1, "other", "table"), chains="AA")


def test_without_images_the_weights_are_the_default() -> None:
    assert with_joins(DEFAULT, []).joins == DEFAULT_JOINS


def test_only_parts_that_the_rules_keep_apart_are_learnt_from() -> None:
    assert joins_of(*AGAIN).same.tolist() == [1.0]
    assert joins_of(*TWO).same.tolist() == [0.0]
    assert joins_of(*WHOLE).same.tolist() == []


def test_a_chain_of_three_parts_gives_three_pairs() -> None:
    three = image((0, "other", "table"), (0, "other", "table"), (0, "scene", "room"), chains="AAA")
    assert joins_of(*three).same.tolist() == [1.0, 1.0, 1.0]


def test_what_is_one_thing_in_the_images_becomes_likelier() -> None:
    same, different = (with_joins(DEFAULT, [example] * 20).joins for example in (AGAIN, TWO))
    assert same["any same head"] > DEFAULT_JOINS["any same head"] > different["any same head"]


def test_answers_tell_what_gold_would() -> None:
    mentions, _ = AGAIN
    yes, no = (joins_heard(mentions, "AA", {(0, 1): [Heard(same)] * 3}, DEFAULT, OF_PAPER) for same in (True, False))
    assert yes.same[0] > 0.8 and no.same[0] < 0.01
    assert yes.values == pytest.approx(joins_of(*AGAIN).values)


def test_a_project_whose_chains_keep_the_rules_learns_it_from_a_few_answers() -> None:
    mentions = image((0, "other", "sky"), (1, "scene", "cloud"), chains="AB")[0]
    heard = joins_heard(mentions, "AB", {(0, 1): [Heard(False)]}, DEFAULT, OF_PAPER)
    many = heard._replace(values=heard.values.repeat(60, axis=0), same=heard.same.repeat(60))
    found = fit_joins([many], DEFAULT_JOINS)
    moved = {name: DEFAULT_JOINS[name] - weight for name, weight in found.items()}
    assert moved["any two chains"] > 0.5 and max(moved, key=moved.__getitem__) == "any two chains"
    assert moved["any two chains"] > 5 * moved["no common type"] > 0


def test_pairs_that_nobody_was_asked_about_tell_nothing() -> None:
    assert len(joins_heard(*TWO, {}, DEFAULT, OF_PAPER).same) == 0
    assert len(joins_heard(*WHOLE, {(0, 1): [Heard(True)]}, DEFAULT, OF_PAPER).same) == 0


def test_a_prior_keeps_its_weights_of_joins_in_json() -> None:
    fitted = with_joins(DEFAULT, [AGAIN] * 3)
    assert type(fitted).from_json(fitted.to_json()) == fitted
    old = {name: value for name, value in fitted.to_json().items() if name != "joins"}
    assert type(fitted).from_json(old).joins == DEFAULT_JOINS
