"""The plan of a group that is not placed yet."""

from dataclasses import FrozenInstanceError

import pytest

from pipeline.rules.linking.link_plan import LinkPlan, posterior_links
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import LinkMention, Pair


def test_a_plan_with_open_pairs_says_nothing_about_its_links_yet():
    plan = LinkPlan(open=((0, 1),), chains=((0,), (1,)))
    assert not plan.doubted | plan.overruled | plan.unsettled
    assert (plan.sources, plan.confidence) == ({}, {})


def test_two_plans_share_no_sources_and_a_plan_never_changes():
    plan = LinkPlan(open=(), chains=())
    assert plan.sources is not LinkPlan(open=(), chains=()).sources
    with pytest.raises(FrozenInstanceError):
        plan.open = ((0, 1),)  # type: ignore[misc]


YES, NO = LinkSource.ASKED_YES, LinkSource.ASKED_NO
FOUR = [LinkMention(number, number, 0, frozenset({"people"}), "man") for number in range(4)]
TOGETHER = ((0, 1, 2, 3),)


def placed(*chains: tuple[int, ...], sources: dict[Pair, LinkSource], unsettled: tuple[Pair, ...] = ()) -> LinkPlan:
    return LinkPlan(open=(), chains=chains, sources=sources, unsettled=frozenset(unsettled))


def test_what_yes_links_connect_follows_from_them():
    assert posterior_links(FOUR, placed(*TOGETHER, sources={(0, 1): YES, (1, 2): YES, (0, 3): YES})) == []


def test_in_a_chain_a_mention_that_nobody_was_asked_about_is_there_by_the_posterior():
    plan = placed(*TOGETHER, sources={(0, 1): YES, (1, 2): LinkSource.REASKED})
    assert posterior_links(FOUR, plan) == [(0, 3), (1, 3), (2, 3)]


def test_one_no_between_two_parts_parts_all_their_mentions():
    plan = placed((0, 1), (2, 3), sources={(0, 1): YES, (2, 3): YES, (1, 3): NO})
    assert posterior_links(FOUR, plan) == []


def test_two_chains_between_which_nobody_was_asked_are_apart_by_the_posterior():
    plan = placed((0, 1), (2,), (3,), sources={(0, 1): YES, (1, 2): NO})
    assert posterior_links(FOUR, plan) == [(0, 3), (1, 3), (2, 3)]


def test_a_pair_that_is_ruled_out_counts_as_a_no_and_has_a_source_of_its_own():
    same_caption = [*FOUR[:2], LinkMention(2, 1, 5, frozenset({"people"}), "man")]
    assert posterior_links(same_caption, placed((0, 1), (2,), sources={(0, 1): YES})) == []
    assert posterior_links(same_caption, placed((0, 1), (2,), sources={})) == [(0, 1), (0, 2)]


def test_neither_an_overruled_link_nor_one_without_consensus_explains_anything():
    for wrong in (
        placed((0, 1), (2,), sources={(0, 1): YES, (1, 2): LinkSource.OVERRULED}),
        placed((0, 1), (2,), sources={(0, 1): YES, (1, 2): LinkSource.REASKED}, unsettled=((1, 2),)),
    ):
        assert posterior_links(FOUR[:3], wrong) == [(0, 2)]
