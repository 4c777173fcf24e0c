"""The plan of a group that is not placed yet."""

from dataclasses import FrozenInstanceError

import pytest

from pipeline.rules.linking.link_plan import LinkPlan, LinkSource, Verdicts, link_evidence, posterior_links
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


def test_the_sources_are_those_of_the_protocol_and_two_for_the_adaptive_strategy():
    assert [source.value for source in LinkSource] == [
        "asked yes",
        "asked no",
        "re-asked",
        "inferred by transitivity",
        "inferred from the posterior",
        "judged by a program",
        "overruled",
        "split by verification",
        "merged by boxes",
        "set by an expert",
        "ruled out by caption",
        "ruled out by type",
    ]


MENTIONS = [LinkMention(10 * (3 - caption), caption, 0, frozenset(["people"]), "man") for caption in range(3)]


def test_links_are_positions_in_reading_order_not_mention_numbers():
    assert link_evidence(MENTIONS, {(30, 10): [True]}, {}, ()).first == {(0, 2): True}


def test_a_pair_against_reading_order_is_refused():
    with pytest.raises(ValueError, match=r"\(10, 30\).*reading order"):
        link_evidence(MENTIONS, {(10, 30): [True]}, {}, ())


def test_the_first_vote_is_what_placement_sees():
    assert link_evidence(MENTIONS, {(30, 20): [False, True, True]}, {}, ()).first == {(0, 1): False}


def test_an_expert_replaces_votes_and_skipping():
    evidence = link_evidence(MENTIONS, {(30, 20): [True]}, {(30, 20): False}, [(30, 20)])
    assert (evidence.first, dict(evidence.votes), evidence.skipped) == ({(0, 1): False}, {}, frozenset())


def test_pairs_of_other_groups_and_pairs_without_a_vote_are_left_out():
    evidence = link_evidence(MENTIONS, {(30, 99): [True], (30, 20): []}, {(98, 99): True}, [(97, 99)])
    assert evidence.first == {}


def test_a_link_ruled_out_is_no_until_an_expert_sets_it():
    same = [MENTIONS[0], LinkMention(31, 0, 4, frozenset(["people"]), "boy")]
    group = link_evidence(same, {}, {}, ()).group
    verdicts = Verdicts(group, [])
    assert verdicts.no == [0b10, 0b01]
    verdicts.set((0, 1), verdict=True)
    assert (verdicts.yes, verdicts.no) == ([0b10, 0b01], [0, 0])
