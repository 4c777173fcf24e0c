"""The plan of a group that is not placed yet.
The paper's strategies; their properties are searched for in test_image_walks.py.
The "plus" strategies: contradictions are asked again, and overruled.
The first contradiction that still matters.
"""

from dataclasses import FrozenInstanceError
from itertools import combinations
from typing import Any

import pytest

from pipeline.rules.linking.consensus import margin
from pipeline.rules.linking.contradiction import first_contradiction
from pipeline.rules.linking.link_plan import LinkPlan, LinkSource, Verdicts, link_evidence, posterior_links
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import (
    PLANNED_WHOLE,
    LinkMention,
    Pair,
    can_corefer,
    connected,
    groups,
    part_of,
    peers,
    positions,
)


def mention(number: int, caption: int, start: int = 0, types: str = "people") -> LinkMention:
    return LinkMention(number, caption, start, frozenset(types.split("/")), "man")


def numbers(parts: list[tuple[LinkMention, ...]]) -> list[list[int]]:
    return [[one.number for one in part] for part in parts]


def test_mentions_of_one_caption_cannot_corefer():
    assert not can_corefer(mention(1, 0), mention(2, 0, start=3))


def test_mentions_without_a_common_type_cannot_corefer():
    assert not can_corefer(mention(1, 0), mention(2, 1, types="scene"))


def test_one_common_type_is_enough_to_corefer():
    assert can_corefer(mention(1, 0, types="scene/other"), mention(2, 1, types="other/people"))


def test_a_mention_with_two_types_joins_the_groups_of_both():
    found = groups([mention(3, 1, types="scene"), mention(1, 0), mention(2, 0, 4, "people/scene"), mention(4, 2)])
    assert numbers(found) == [[1, 2, 3, 4]]


def test_groups_come_in_reading_order_whatever_the_numbers():
    found = groups([mention(1, 2), mention(2, 0, 5, "scene"), mention(3, 1, types="scene"), mention(9, 0, 1)])
    assert numbers(found) == [[9, 1], [2, 3]]


def test_a_mention_without_types_is_a_group_of_its_own():
    untyped = LinkMention(5, 1, 0, frozenset(), "it")
    assert numbers(groups([mention(1, 0), untyped])) == [[1], [5]]


def test_a_large_group_is_split_so_that_those_of_one_head_stay_together():
    heads = ["man", "guy", "boy"]
    mentions = [LinkMention(n, n % 40, n, frozenset({"people"}), heads[n % 3]) for n in range(120)]
    found = groups(mentions)
    assert [len(part) for part in found] == [40, 40, 40]
    assert all(len({one.head for one in part}) == 1 for part in found)
    assert len(groups(mentions[:PLANNED_WHOLE])) == 1
    assert all(len(part) <= PLANNED_WHOLE for part in groups([one._replace(head="man") for one in mentions]))
    nurse, dog = mentions[0]._replace(start=120, head="nurse"), mention(121, 0, 121, "animals")
    assert [len(part) for part in groups([*mentions, nurse, dog])] == [40, 40, 41, 1]
    mixed = [one._replace(types=frozenset({"people", "other"}), head="man") for one in mentions[:40]]
    assert [len(part) for part in groups([*mixed, *(one._replace(head="man") for one in mentions[40:80])])] == [40, 40]


def test_a_large_group_is_split_so_that_families_of_one_type_stay_together():
    families = [("people", "man"), ("clothing", "coat"), ("people", "boy"), ("clothing", "hat")]
    mentions = [LinkMention(n, n // 30, n, frozenset({types}), head) for n, (types, head) in enumerate(families * 30)]
    both = mention(120, 9, 120, "clothing/people")
    assert {"coat", "hat"} in [{one.head for one in part} for part in groups([*mentions, both])]


def test_a_large_group_of_long_captions_is_split_between_captions():
    mentions = [
        LinkMention(n, n // 25, n % 25, frozenset({"people"}), "man", part=part_of(n % 25, 0, pronoun=False))
        for n in range(100)
    ]
    assert [sorted({one.caption for one in part}) for part in groups(mentions)] == [[0, 1], [2, 3]]


def test_mentions_of_two_sentences_can_corefer_where_sentences_count_and_pronouns_within_one():
    man, guy, he = (
        mention(number, 0, number)._replace(part=part_of(sentence, number, pronoun=pronoun))
        for number, sentence, pronoun in ((1, 0, False), (2, 1, False), (3, 1, True))
    )
    assert can_corefer(man, guy)
    assert can_corefer(guy, he)
    assert not can_corefer(guy, guy._replace(number=4, start=9))
    assert part_of(1, 0, pronoun=True) != part_of(1, 5, pronoun=False)


def masks(size: int, links: list[tuple[int, int]]) -> list[int]:
    found = [0] * size
    for one, another in links:
        found[one] |= 1 << another
        found[another] |= 1 << one
    return found


def test_components_are_sets_of_positions_by_their_first():
    assert [list(positions(part)) for part in connected(masks(5, [(1, 4), (0, 3)]))] == [[0, 3], [1, 4], [2]]


def test_peers_share_a_key_and_include_oneself():
    assert peers([("a", "b"), ("b",), (), ("a",)]) == [0b1011, 0b0011, 0b0100, 0b1001]


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


PLUS = [Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS]


@pytest.mark.parametrize("strategy", PLUS)
def test_an_expert_who_sets_every_link_leaves_nothing_to_ask(strategy: Strategy):
    group = [LinkMention(number, number, 0, frozenset(["people"]), "man") for number in range(5)]
    given_links = {(a, b): (a % 2 == b % 2) for a, b in combinations(range(5), 2)}
    plan = plan_links(strategy, group, {(0, 1): [True]}, given=given_links)
    assert (plan.open, plan.chains) == ((), ((0, 2, 4), (1, 3)))
    assert set(plan.sources.values()) == {LinkSource.EXPERT}


def test_a_group_of_one_mention_is_a_chain():
    assert plan_links(Strategy.GREEDY_PLUS, [LinkMention(7, 0, 0, frozenset(), "it")], {}).chains == ((7,),)


PEOPLE = frozenset(["people"])
THREE_MENTIONS = [
    LinkMention(1, 0, 0, PEOPLE, "man"),
    LinkMention(2, 0, 5, PEOPLE, "boy"),
    LinkMention(3, 1, 0, PEOPLE | {"other"}, "team"),
    LinkMention(4, 2, 0, frozenset(["other"]), "game"),
]


def test_every_pair_that_can_corefer_is_open_at_once():
    assert plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {}).open == ((1, 3), (2, 3), (3, 4))


def test_answered_set_and_skipped_pairs_are_not_asked():
    plan = plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {(1, 3): [True]}, given={(2, 3): False}, skipped=[(3, 4)])
    assert plan.open == ()
    assert plan.chains == ((1, 3), (2,), (4,))
    assert plan.unsettled == {(3, 4)}
    assert plan.sources == {(1, 3): LinkSource.ASKED_YES, (2, 3): LinkSource.EXPERT, (3, 4): LinkSource.ASKED_NO}


def test_contradictions_stay():
    plan = plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {(1, 3): [True], (2, 3): [True], (3, 4): [False]})
    assert (plan.chains, plan.open, plan.overruled) == (((1, 2, 3), (4,)), (), frozenset())


def test_chains_are_shown_while_questions_are_open():
    plan = plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {(2, 3): [True]})
    assert (plan.open, plan.chains) == (((1, 3), (3, 4)), ((1,), (2, 3), (4,)))


FOUR_MEN = [mention(1, 0), mention(2, 1), mention(3, 2), mention(4, 3)]
TYPED = [mention(1, 0), mention(2, 1, types="people/other"), mention(3, 2, types="other")]
ONE_CAPTION = [mention(1, 0), mention(2, 1), mention(3, 1, start=4), mention(4, 2)]

PLACED: dict[str, tuple[list[LinkMention], dict[Pair, list[bool]], dict[str, Any], list[Pair]]] = {
    "the second mention is compared with the first, and nothing else": (FOUR_MEN, {}, {}, [(1, 2)]),
    "with one mention of the chain": (FOUR_MEN, {(1, 2): [True]}, {}, [(1, 3)]),
    "with one mention of each chain": (FOUR_MEN, {(1, 2): [False]}, {}, [(1, 3), (2, 3)]),
    "the next mention waits for all answers": (FOUR_MEN, {(1, 2): [False], (1, 3): [True]}, {}, [(2, 3)]),
    "a chain with the caption is no candidate": (ONE_CAPTION, {(1, 2): [True]}, {}, [(1, 4), (3, 4)]),
    "with the first mention that shares a type": (TYPED, {(1, 2): [True]}, {}, [(2, 3)]),
    "a chain that shares no type is no candidate": (TYPED, {(1, 2): [False]}, {}, [(2, 3)]),
    "only the first vote places": (FOUR_MEN, {(1, 2): [False, True, True]}, {}, [(1, 3), (2, 3)]),
    "compared before: apart": (FOUR_MEN, {(1, 2): [True], (2, 3): [False]}, {}, [(1, 4), (3, 4)]),
    "compared before: together": (FOUR_MEN, {(1, 2): [True], (2, 3): [True]}, {}, [(1, 4)]),
    "set by an expert": (FOUR_MEN, {}, {"given": {(1, 2): True}}, [(1, 3)]),
    "joined by an expert": (FOUR_MEN, {(1, 2): [True]}, {"given": {(2, 3): True}}, [(1, 4)]),
    "kept apart by an expert": (FOUR_MEN, {(1, 2): [True]}, {"given": {(2, 3): False}}, [(1, 4), (3, 4)]),
    "a skipped question counts as no": (FOUR_MEN, {}, {"skipped": [(1, 2)]}, [(1, 3), (2, 3)]),
}


def test_greedy_asks_what_places_the_next_mention():
    plans = {
        case: plan_links(Strategy.GREEDY, mentions, votes, **more)
        for case, (mentions, votes, more, _) in PLACED.items()
    }
    assert {case: list(plan.open) for case, plan in plans.items()} == {case: row[-1] for case, row in PLACED.items()}


def test_several_yes_join_the_chains():
    votes = {(1, 2): [False], (1, 3): [True], (2, 3): [True]}
    plan = plan_links(Strategy.GREEDY, FOUR_MEN, votes)
    assert (plan.chains, plan.open) == (((1, 2, 3), (4,)), ((1, 4),))


def test_no_yes_makes_a_new_chain():
    votes = {(1, 2): [True], (1, 3): [False], (1, 4): [False], (3, 4): [False]}
    plan = plan_links(Strategy.GREEDY, FOUR_MEN, votes)
    assert (plan.chains, plan.open) == (((1, 2), (3,), (4,)), ())


THREE = [mention(number, number) for number in (1, 2, 3)]
SAME_CAPTION = [mention(1, 0), mention(2, 0, 5), mention(3, 1)]


def votes(**cast: str) -> dict[Pair, list[bool]]:
    """votes(p12="yn"): the pair (1, 2) was first answered yes, then no."""
    return {(int(pair[1]), int(pair[2])): [vote == "y" for vote in answers] for pair, answers in cast.items()}


def plan(mentions: list[LinkMention], cast: dict[Pair, list[bool]], **more: object) -> LinkPlan:
    return plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, cast, **more)  # type: ignore[arg-type]


def test_the_links_of_a_contradiction_are_asked_again_together():
    assert plan(THREE, votes(p12="y", p13="y", p23="n")).open == ((1, 2), (1, 3), (2, 3))


def test_a_link_is_asked_until_one_side_leads_by_two():
    assert plan(THREE, votes(p12="yy", p13="yy", p23="ny")).open == ((2, 3),)
    assert plan(THREE, votes(p12="yy", p13="yy", p23="nyy")).open == ((2, 3),)
    assert plan(THREE, votes(p12="yy", p13="yy", p23="nyyy")).open == ()


def test_five_votes_decide_without_such_a_lead():
    done = plan(THREE, votes(p12="yy", p13="yy", p23="nynyy"))
    assert (done.open, done.chains, done.unsettled) == ((), ((1, 2, 3),), frozenset())


def test_the_lead_and_the_most_votes_are_settings():
    cast = votes(p12="yy", p13="yy", p23="nyy")
    assert plan(THREE, cast, most=3).open == ()
    assert plan(THREE, cast, lead=1).open == ()
    assert plan(THREE, cast, lead=3).open == ((1, 2), (1, 3), (2, 3))


def test_links_asked_again_have_that_source_and_others_keep_theirs():
    four = [*THREE, mention(4, 4)]
    done = plan(four, votes(p12="yy", p13="yy", p23="nyyy", p14="n", p24="n", p34="n"))
    assert done.sources[2, 3] == done.sources[1, 2] == LinkSource.REASKED
    assert done.sources[1, 4] == LinkSource.ASKED_NO


def test_mentions_of_one_caption_are_a_settled_no():
    assert plan(SAME_CAPTION, votes(p13="y", p23="y")).open == ((1, 3), (2, 3))


def test_types_that_differ_are_a_settled_no():
    mentions = [mention(1, 1), mention(2, 2, types="people/other"), mention(3, 3, types="other")]
    assert plan(mentions, votes(p12="y", p23="y")).open == ((1, 2), (2, 3))


def test_of_two_links_that_cannot_both_hold_the_larger_margin_wins():
    done = plan(SAME_CAPTION, votes(p13="yny", p23="yy"), most=3)
    assert (done.chains, done.overruled) == (((1,), (2, 3)), {(1, 3)})
    assert done.sources[1, 3] == LinkSource.OVERRULED


def test_a_tie_goes_to_the_link_earlier_in_reading_order_and_both_chains_are_doubted():
    done = plan(SAME_CAPTION, votes(p13="yy", p23="yy"))
    assert (done.chains, done.overruled, done.doubted) == (((1, 3), (2,)), {(2, 3)}, {1, 2})


def test_a_contradiction_is_treated_once():
    done = plan(THREE, votes(p12="yy", p13="yy", p23="nn"))
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2), (3,)), {(1, 3)})


def test_contradictions_are_taken_one_at_a_time():
    four = [*THREE, mention(4, 4)]
    cast = votes(p12="y", p13="y", p23="n", p14="y", p24="y", p34="n")
    assert plan(four, cast).open == ((1, 2), (1, 3), (2, 3))
    # Once 1 and 3 turn out to differ, 1, 2 and 4 agree, and no other contradiction is left.
    assert plan(four, cast | votes(p12="yy", p13="ynnn", p23="nn")).open == ()


def test_a_treated_link_that_decides_nothing_yet_leads_to_the_next_contradiction():
    four = [*THREE, mention(4, 4)]
    cast = votes(p12="yy", p13="yy", p23="nyyy", p14="y", p24="n", p34="n")
    assert plan(four, cast).open == ((1, 4), (2, 4))


def test_a_link_on_a_longer_path_is_asked_again_before_it_is_overruled():
    mentions = [
        mention(1, 1, types="a"),
        mention(2, 2, types="a/b"),
        mention(3, 3, types="b/c"),
        mention(4, 4, types="c/a"),
    ]
    cast = votes(p12="y", p23="y", p34="y", p14="n", p24="n")
    # The shortest first: 2 and 4 are kept apart, and 3 is linked to both.
    assert plan(mentions, cast).open == ((1, 2), (2, 3))
    triangles = cast | votes(p12="yy", p23="yy", p34="yy", p24="nn")
    assert plan(mentions, triangles).open == ((1, 4),)
    settled = plan(mentions, triangles | votes(p14="nn"))
    assert settled.open == ()
    assert settled.chains == ((1, 2), (3, 4))
    assert settled.overruled == {(2, 3)}
    assert settled.doubted == {1, 3}


def test_a_link_between_links_of_an_expert_is_asked_again():
    cast, given = votes(p23="y"), {(1, 2): True, (3, 4): True, (1, 4): False}
    assert plan_links(Strategy.GREEDY_PLUS, [*THREE, mention(4, 4)], cast, given=given).open == ((2, 3),)


def test_links_of_an_expert_that_contradict_one_another_are_asked_of_nobody():
    given = {(1, 2): True, (2, 3): True, (3, 4): True, (1, 4): False}
    done = plan_links(Strategy.GREEDY_PLUS, [*THREE, mention(4, 4)], {}, given=given)
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2, 3, 4),), frozenset())


def test_a_link_within_a_chain_that_an_expert_made_is_not_overruled():
    cast, given = votes(p13="nn", p14="yy", p24="yy"), {(1, 2): True, (2, 3): True, (3, 4): True}
    done = plan([*THREE, mention(4, 4)], cast, given=given)
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2, 3, 4),), frozenset())


def test_an_experts_links_are_fixed_and_come_first():
    done = plan(SAME_CAPTION, votes(p13="yy"), given={(2, 3): True})
    assert (done.open, done.chains, done.overruled) == ((), ((1,), (2, 3)), {(1, 3)})
    assert done.sources[2, 3] == LinkSource.EXPERT


def test_an_expert_may_link_what_the_rules_keep_apart():
    done = plan(SAME_CAPTION, votes(p13="y", p23="y"), given={(1, 2): True})
    assert (done.open, done.chains, done.doubted) == ((), ((1, 2, 3),), frozenset())


def test_an_experts_no_splits_what_workers_linked():
    done = plan(THREE, votes(p12="yy", p13="yy", p23="y"), given={(2, 3): False})
    assert (done.open, done.chains) == ((), ((1, 2), (3,)))


def test_a_link_on_which_no_side_leads_is_an_unsettled_no_that_overrules_nothing():
    for first in ("yy", "yyy"):  # 3 joins 1 after 2 or before it
        done = plan(THREE, votes(p12="yy", p13=first, p23="ny"), most=2)
        assert done.unsettled == {(2, 3)}
        assert (done.chains, done.overruled, done.doubted) == (((1, 2, 3),), frozenset(), frozenset())


def test_a_question_that_nobody_can_answer_again_is_not_waited_for():
    cast = votes(p12="yy", p13="yy", p23="n")
    assert plan(THREE, cast).open == ((2, 3),)
    done = plan(THREE, cast, skipped=[(2, 3)])
    assert (done.open, done.unsettled) == ((), {(2, 3)})


def test_without_plus_nothing_is_asked_again():
    for strategy in (Strategy.EXHAUSTIVE, Strategy.GREEDY):
        done = plan_links(strategy, THREE, votes(p12="n", p13="y", p23="y"))
        found = (done.open, done.chains, done.overruled, done.doubted)
        assert found == ((), ((1, 2, 3),), frozenset(), frozenset()), strategy


def test_an_experts_links_are_never_overruled():
    done = plan(SAME_CAPTION, {}, given={(1, 3): True, (2, 3): True})
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2, 3),), frozenset())


def test_the_margin_is_how_many_more_say_yes():
    assert [margin(votes) for votes in ([], [True], [False], [True, False, False])] == [0, 1, -1, -1]


def found(size: int, yes: list[tuple[int, int]], no: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Take the first contradiction again and again, until none has a link that was in no earlier one."""
    fresh, paths = {*yes, *no}, []
    while path := first_contradiction(masks(size, yes), masks(size, no), masks(size, sorted(fresh))):
        paths.append(path)
        fresh -= {(min(pair), max(pair)) for pair in zip(path, (*path[1:], path[0]), strict=True)}
    return paths


def test_two_yes_and_a_no_contradict():
    assert found(3, [(0, 1), (1, 2)], [(0, 2)]) == [(0, 1, 2)]


def test_three_yes_or_a_single_yes_do_not_contradict():
    assert found(3, [(0, 1), (1, 2), (0, 2)], []) == []
    assert found(3, [(0, 1)], [(1, 2), (0, 2)]) == []


def test_an_unknown_third_link_does_not_contradict():
    assert found(3, [(0, 1), (1, 2)], []) == []


def test_a_no_between_the_ends_of_a_longer_path_of_yes_contradicts():
    assert found(4, [(0, 1), (1, 2), (2, 3)], [(0, 3)]) == [(0, 1, 2, 3)]
    assert found(5, [(0, 4), (2, 4), (1, 2), (1, 3)], [(0, 3)]) == [(0, 4, 2, 1, 3)]


def test_the_shortest_path_comes_first_then_reading_order():
    yes = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert found(5, yes, [(0, 3), (2, 4)]) == [(2, 3, 4), (0, 1, 2, 3)]
    assert found(4, [(0, 1), (0, 2), (0, 3)], [(1, 2), (2, 3)]) == [(1, 0, 2), (2, 0, 3)]


def test_every_shortest_path_between_the_ends_of_a_no_is_a_contradiction():
    assert found(4, [(0, 1), (1, 3), (0, 2), (2, 3)], [(0, 3)]) == [(0, 1, 3), (0, 2, 3)]


def test_a_contradiction_without_a_fresh_link_is_passed_over():
    yes, no = masks(4, [(0, 1), (1, 2), (1, 3)]), masks(4, [(0, 2), (2, 3)])
    assert first_contradiction(yes, no, masks(4, [(1, 3)])) == (2, 1, 3)
    assert first_contradiction(yes, no, [0] * 4) is None
