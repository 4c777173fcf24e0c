"""Images whose links are planned at once, beyond the two rules."""

from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.adaptive.plan_beyond_rules import plan_beyond_rules
from pipeline.rules.linking.prior.link_prior import DEFAULT
from tests.pipeline.rules.linking.adaptive.test_plan_joins import NO, YES, plan
from tests.pipeline.rules.linking.prior.test_join_features import mention

MEN = [mention(0, 0, "a man", "people"), mention(1, 1, "a boy", "people")]
DOGS = [mention(2, 0, "a dog", "animals"), mention(3, 1, "a pet", "animals")]
CAPTIONS = [MEN[0], DOGS[0], MEN[1], DOGS[1]]


def test_every_group_asks_as_if_it_were_alone() -> None:
    both = plan(CAPTIONS)
    alone = [plan_adaptively(group, {}, prior=DEFAULT, stop=0.05) for group in (MEN, DOGS)]
    assert set(both.open) == {pair for one in alone for pair in one.open} and len(both.open) == 2
    assert both.values == {**alone[0].values, **alone[1].values}
    assert plan_beyond_rules(CAPTIONS[::-1], {}, prior=DEFAULT, stop=0.05) == both


def test_nothing_else_is_asked_before_all_groups_are_settled() -> None:
    tables = [mention(4, 0, "a table", start=20), mention(5, 0, "the table", start=24)]
    begun = plan([*CAPTIONS, *tables])
    assert (4, 5) not in begun.open and begun.open
    settled = plan([*CAPTIONS, *tables], {(0, 1): [NO] * 4, (2, 3): [NO] * 4})
    assert settled.open == ((4, 5),)


def test_chains_come_in_reading_order() -> None:
    ended = plan(CAPTIONS, {(0, 1): [YES] * 4, (2, 3): [NO] * 4})
    assert ended.chains == ((0, 1), (2,), (3,))
    assert list(ended.whole) == [0, 2, 3]


def test_answers_across_groups_do_not_disturb_the_plan_of_a_group() -> None:
    assert plan(CAPTIONS, {(0, 2): [NO]}).open == plan(CAPTIONS).open
