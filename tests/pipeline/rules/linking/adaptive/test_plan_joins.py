"""Questions about chains that a rule keeps apart, and the chains that answers make of them."""

from dataclasses import replace

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, Heard
from pipeline.rules.linking.adaptive.plan_beyond_rules import plan_beyond_rules
from pipeline.rules.linking.adaptive.plan_joins import JoinsKnown, plan_joins
from pipeline.rules.linking.link_plan import LinkPlan, LinkSource
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import LinkMention, Pair
from tests.pipeline.rules.linking.prior.test_join_features import mention

TABLES = [mention(0, 0, "a table"), mention(1, 0, "the table")]
YES, NO = Heard(same=True), Heard(same=False)


def plan(mentions: list[LinkMention], heard: dict[Pair, list[Heard]] | None = None, **more: object) -> LinkPlan:
    given = {"prior": DEFAULT, "stop": 0.05, **more}
    return plan_beyond_rules(mentions, heard or {}, **given)  # type: ignore[arg-type]


def test_two_likely_places_of_one_caption_are_asked_about() -> None:
    asked = plan(TABLES)
    assert asked.open == ((0, 1),)
    assert 0.05 <= asked.values[0, 1] <= 1


def test_what_is_unlikely_is_not_asked() -> None:
    assert plan([mention(0, 0, "three men", "people"), mention(1, 0, "a park", "scene")]).open == ()


def test_yes_makes_one_chain_and_no_keeps_two() -> None:
    joined, kept = plan(TABLES, {(0, 1): [YES] * 3}), plan(TABLES, {(0, 1): [NO] * 2})
    assert (joined.open, joined.chains) == ((), ((0, 1),))
    assert (kept.open, kept.chains) == ((), ((0,), (1,)))
    assert joined.sources == {(0, 1): LinkSource.REASKED}


def test_a_joined_chain_is_as_sure_as_its_parts_and_its_join() -> None:
    joined = plan(TABLES, {(0, 1): [YES] * 3}, stop=0.3)
    assert joined.links_right == {0: 1.0}
    assert joined.whole[0] == pytest.approx(joined.together[0, 1], abs=1e-3)
    assert joined.confidence == pytest.approx(joined.whole)


def test_an_answer_that_is_not_followed_is_overruled_and_marks_its_chains() -> None:
    assert plan(TABLES, {(0, 1): [YES]}, stop=0.9).doubted == frozenset()
    unlikely = replace(DEFAULT, joins={"any two chains": -5.5})
    against = plan(TABLES, {(0, 1): [YES]}, stop=0.9, prior=unlikely)
    assert against.overruled == {(0, 1)} and against.doubted == {0, 1}


def test_a_pair_that_nobody_can_answer_waits_for_an_expert() -> None:
    assert plan(TABLES, skipped=[(0, 1)]).open == ()
    assert plan(TABLES, skipped=[(0, 1)]).unsettled == {(0, 1)}


def test_an_expert_is_never_asked_about_again() -> None:
    ended = plan(TABLES, given={(0, 1): True})
    assert (ended.open, ended.chains) == ((), ((0, 1),))
    assert ended.sources == {(0, 1): LinkSource.EXPERT}


def test_the_mentions_that_were_asked_least_are_asked_next() -> None:
    chain = [mention(0, 0, "a table"), mention(2, 1, "a table")]
    settled = {(0, 2): [YES] * 4}
    first = plan([*chain, TABLES[1]._replace(start=9)], settled)
    (pair,) = first.open
    (again,) = plan([*chain, TABLES[1]._replace(start=9)], {**settled, pair: [YES]}).open
    assert again != pair


def test_fewer_than_two_chains_leave_nothing_to_ask() -> None:
    known = JoinsKnown(TABLES[:1], {}, DEFAULT, 0.05, 15, OF_PAPER, {}, ())
    ended = plan_joins(known, LinkPlan((), ((0,),), links_right={0: 1.0}))
    assert (ended.open, ended.chains, ended.whole) == ((), ((0,),), {0: 1.0})


def test_a_project_can_learn_that_such_chains_are_two_things() -> None:
    never = replace(DEFAULT, joins={"any two chains": -9.0})
    assert plan(TABLES, prior=never).open == ()
