"""Links asked by lot: how many, which, and what is predicted of them."""

from collections import Counter
from functools import cache
from typing import Any

import pytest

from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.adaptive.reask import VALUE, CheckedLink, in_tenths, reask
from pipeline.rules.linking.link_plan import LinkGroup, LinkPlan, link_group
from pipeline.rules.linking.transitivity import LinkMention
from tests.support.link_groups import EVEN, NO, YES, people, plan

PAIRS = [(0, 1), (0, 2), (1, 2)]


def group_of(word: str) -> tuple[LinkMention, ...]:
    return tuple(one._replace(words=("the", word)) for one in people(3))


@cache
def groups() -> list[LinkGroup]:
    """Return groups that differ in a word."""
    return [link_group(group_of(f"man-{one}")) for one in range(600)]


def drawn(share: float, judgments: int) -> list[tuple[int, int]]:
    """Return what is drawn in 600 groups."""
    lots = (reask(group, judgments, PAIRS, share) for group in groups())
    return [lot for lot in lots if lot is not None]


def test_a_group_is_asked_by_lot_as_often_as_the_share_of_its_judgments_says() -> None:
    expected = {0: 0.05, 1: 0.05, 3: 0.15, 20: 0.5}
    shares = {judgments: len(drawn(0.05, judgments)) / 600 for judgments in expected}
    assert shares == pytest.approx(expected, abs=0.04)


def test_every_pair_is_as_likely() -> None:
    counts = Counter(drawn(0.2, 5))
    assert sum(counts.values()) > 250 and sorted(counts) == PAIRS
    assert max(counts.values()) < 1.35 * min(counts.values())


def test_the_same_group_with_the_same_judgments_is_drawn_the_same() -> None:
    assert drawn(0.05, 2) == drawn(0.05, 2) != drawn(0.05, 3)


def test_nothing_is_drawn_without_a_share_or_without_pairs() -> None:
    assert drawn(0.0, 5) == []
    assert all(reask(link_group(group_of(f"{one}")), 9, [], 0.2) is None for one in range(20))


def ended(share: float, word: str = "man", heard: Any = None, **more: Any) -> LinkPlan:
    given: dict[str, Any] = {"prior": EVEN, "stop": 0.99, "reask_share": share, **more}
    return plan_adaptively(group_of(word), heard or {}, **given)


def asked_by_lot(**more: Any) -> LinkPlan:
    """Return the plan of the first of many groups that is asked something by lot."""
    plans = (ended(0.2, word=f"man-{one}", **more) for one in range(100))
    return next(one for one in plans if one.open)


def test_a_link_asked_by_lot_says_what_is_predicted_and_comes_first() -> None:
    found = asked_by_lot()
    (pair,) = found.open
    assert found.values == {pair: VALUE} and found.foretold == {pair: 0.4}
    assert found.sources == {} and found.confidence == {}


def test_without_a_share_the_group_is_placed() -> None:
    assert not any(ended(0.0, word=f"man-{one}").open for one in range(30))


def test_the_lot_passes_over_pairs_that_an_expert_set_that_nobody_can_answer_or_that_are_asked_enough() -> None:
    heard = {(0, 1): [YES, NO, YES]}
    more: dict[str, Any] = {"given": {(0, 2): False}, "heard": heard, "most": 3}
    assert asked_by_lot(**more).open == ((1, 2),)
    assert not any(ended(0.2, word=f"man-{one}", skipped=[(1, 2)], **more).open for one in range(30))


def test_a_planned_link_says_how_much_its_answer_tells() -> None:
    for heard in ({}, {(0, 1): [YES]}):
        found = plan(people(3), heard, stop=0.01)
        assert 0.01 <= found.values[found.open[0]] < 1 and found.foretold == {}
    assert plan(people(3), stop=0.99).values == {}


CROWD = {"yes_if_same": 0.9, "yes_if_different": 0.1}


def links(chance: float, same: int, of: int) -> list[CheckedLink]:
    return [CheckedLink(chance, number < same) for number in range(of)]


def test_links_are_counted_in_tenths_of_the_foretold_chance() -> None:
    tenths = in_tenths([*links(0.05, 1, 10), *links(0.95, 9, 10), *links(1.0, 10, 10)], **CROWD)
    assert [(one.low, one.links, one.said) for one in tenths] == [(0.0, 10, 0.1), (0.9, 20, 0.95)]
    assert tenths[1].chance == pytest.approx(0.975)


def test_the_expected_share_takes_the_crowd_s_errors_into_account() -> None:
    for chance, expected in ((0.0, 0.1), (0.5, 0.5), (1.0, 0.9)):
        (tenth,) = in_tenths(links(chance, 0, 1), **CROWD)
        assert tenth.expected == pytest.approx(expected)


def test_chances_hold_if_chance_explains_the_answers() -> None:
    (right,) = in_tenths(links(0.95, 87, 100), **CROWD)
    (wrong,) = in_tenths(links(0.95, 70, 100), **CROWD)
    (few,) = in_tenths(links(0.95, 2, 3), **CROWD)
    assert (right.holds, wrong.holds, few.holds) == (True, False, True)
    assert right.least < 0.87 < right.most


def test_without_links_there_is_nothing() -> None:
    assert in_tenths([], **CROWD) == []
