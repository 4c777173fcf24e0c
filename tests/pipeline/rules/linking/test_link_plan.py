"""The plan of a group that is not placed yet."""

from dataclasses import FrozenInstanceError

import pytest

from pipeline.rules.linking.link_plan import LinkPlan


def test_a_plan_with_open_pairs_says_nothing_about_its_links_yet():
    plan = LinkPlan(open=((0, 1),), chains=((0,), (1,)))
    assert not plan.doubted | plan.overruled | plan.unsettled
    assert (plan.sources, plan.confidence) == ({}, {})


def test_two_plans_share_no_sources_and_a_plan_never_changes():
    plan = LinkPlan(open=(), chains=())
    assert plan.sources is not LinkPlan(open=(), chains=()).sources
    with pytest.raises(FrozenInstanceError):
        plan.open = ((0, 1),)  # type: ignore[misc]
