"""The plan of a group that is not placed yet.
The paper's strategies; their properties are searched for in test_image_walks.py.
The "plus" strategies: contradictions are asked again, and overruled.
The first contradiction that still matters.
"""

from inspect import signature
from itertools import combinations
from typing import Any

import pytest

from annotation.rules.transitivity import (
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
from pipeline.protocol.links.consensus import Searched, Verdicts, first_contradiction, known_links, margin
from pipeline.protocol.links.policy import LinkPlan
from pipeline.protocol.links.strategies import PaperLinks, Strategy, json_of, plan_links
from pipeline.protocol.state.progress import LinkSource
from tests.support.link_groups import asked
from tests.support.table import case


def mention(number: int, caption: int, start: int = 0, types: str = "people") -> LinkMention:
    return LinkMention(number, caption, start, frozenset(types.split("/")), "man")


@case("mentions of one caption cannot corefer", mention(1, 0), mention(2, 0, start=3), False)
@case("mentions without a common type cannot corefer", mention(1, 0), mention(2, 1, types="scene"), False)
@case("one common type is enough to corefer", mention(1, 0, 0, "scene/other"), mention(2, 1, 0, "other/people"), True)
def test_whether_two_mentions_can_corefer(one: LinkMention, other: LinkMention, *, can: bool):
    assert can_corefer(one, other) is can


MAN, ANOTHER = mention(1, 0), mention(4, 2)
SCENE, BOTH = mention(3, 1, types="scene"), mention(2, 0, 4, "people/scene")
SCATTERED = [mention(1, 2), mention(2, 0, 5, "scene"), SCENE, mention(9, 0, 1)]
UNTYPED = LinkMention(5, 1, 0, frozenset(), "it")


@case("a mention with two types joins the groups of both", [SCENE, MAN, BOTH, ANOTHER], [[1, 2, 3, 4]])
@case("groups come in reading order whatever the numbers", SCATTERED, [[9, 1], [2, 3]])
@case("a mention without types is a group of its own", [MAN, UNTYPED], [[1], [5]])
def test_the_groups_of_an_image(mentions: list[LinkMention], parts: list[list[int]]):
    assert [[one.number for one in part] for part in groups(mentions)] == parts


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


def test_a_large_group_is_split_between_families_of_one_type_and_between_long_captions():
    families = [("people", "man"), ("clothing", "coat"), ("people", "boy"), ("clothing", "hat")]
    mentions = [LinkMention(n, n // 30, n, frozenset({types}), head) for n, (types, head) in enumerate(families * 30)]
    both = mention(120, 9, 120, "clothing/people")
    assert {"coat", "hat"} in [{one.head for one in part} for part in groups([*mentions, both])]
    long = [mention(n, n // 25, n % 25)._replace(part=part_of(n % 25, 0)) for n in range(100)]
    short = [mention(n, n // 25, n % 25) for n in range(100, 125)]
    assert [sorted({one.caption for one in part}) for part in groups([*long, *short])] == [[0, 1], [2, 3], [4]]


def test_mentions_of_a_long_caption_can_corefer_where_each_has_a_part_of_its_own():
    sentences = ((1, 0), (2, 1), (3, 1))
    man, guy, he = (mention(n, 0, n)._replace(part=part_of(sentence, n)) for n, sentence in sentences)
    assert can_corefer(man, guy) and can_corefer(guy, he)
    assert not can_corefer(mention(1, 0, 1), mention(2, 0, 2)), "captions are whole by the paper's rule"


def masks(size: int, links: list[tuple[int, int]]) -> list[int]:
    found = [0] * size
    for one, another in links:
        found[one] |= 1 << another
        found[another] |= 1 << one
    return found


def test_components_are_sets_of_positions_by_their_first_and_peers_share_a_key_and_include_oneself():
    assert [list(positions(part)) for part in connected(masks(5, [(1, 4), (0, 3)]))] == [[0, 3], [1, 4], [2]]
    assert peers([("a", "b"), ("b",), (), ("a",)]) == [0b1011, 0b0011, 0b0100, 0b1001]


def test_the_sources_are_those_of_the_protocol_and_two_for_the_adaptive_strategy():
    assert ", ".join(LinkSource) == (
        "asked yes, asked no, re-asked, inferred by transitivity, inferred from the posterior, judged by a program, "
        "overruled, split by verification, merged by boxes, set by an expert, ruled out by caption, ruled out by type"
    )


MENTIONS = [LinkMention(10 * (3 - caption), caption, 0, frozenset(["people"]), "man") for caption in range(3)]


ELSEWHERE = {(30, 99): [True], (30, 20): []}, {(98, 99): True}, [(97, 99)]


@case("links are positions in reading order not mention numbers", {(30, 10): [True]}, {}, (), {(0, 2): True})
@case("the first vote is what placement sees", {(30, 20): [False, True, True]}, {}, (), {(0, 1): False})
@case("pairs of other groups and pairs without a vote are left out", *ELSEWHERE, {})
def test_the_links_by_which_mentions_are_placed(votes: Any, given: Any, skipped: Any, first: dict[Pair, bool]):
    assert known_links(MENTIONS, votes, given, skipped).first == first


def test_an_expert_replaces_votes_and_skipping_and_a_pair_against_reading_order_is_refused():
    evidence = known_links(MENTIONS, {(30, 20): [True]}, {(30, 20): False}, [(30, 20)])
    assert (evidence.first, dict(evidence.votes), evidence.skipped) == ({(0, 1): False}, {}, frozenset())
    with pytest.raises(ValueError, match=r"\(10, 30\).*reading order"):
        known_links(MENTIONS, {(10, 30): [True]}, {}, ())


def test_a_link_ruled_out_is_no_until_an_expert_sets_it():
    same = [MENTIONS[0], LinkMention(31, 0, 4, frozenset(["people"]), "boy")]
    verdicts = Verdicts(known_links(same, {}, {}, ()).group, [])
    assert verdicts.no == [0b10, 0b01]
    verdicts.set((0, 1), verdict=True)
    assert (verdicts.yes, verdicts.no) == ([0b10, 0b01], [0, 0])


def doubted(plan: LinkPlan) -> set[int]:
    """Return the chains that are placed with a doubt, by their first mentions."""
    return {one.mentions[0] for one in plan.placed if one.doubt}


def unsettled(plan: LinkPlan) -> set[int]:
    """Return the chains that an expert decides, by their first mentions."""
    return {one.mentions[0] for one in plan.placed if one.unsettled}


def overruled(plan: LinkPlan) -> set[Pair]:
    return {pair for pair, source in plan.sources.items() if source is LinkSource.OVERRULED}


def test_an_expert_who_sets_every_link_leaves_nothing_to_ask_and_a_group_of_one_mention_is_a_chain():
    given_links = {(a, b): (a % 2 == b % 2) for a, b in combinations(range(5), 2)}
    for strategy in (Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS):
        plan = plan_links(
            strategy, [mention(number, number) for number in range(5)], {(0, 1): [True]}, expert_links=given_links
        )
        assert (plan.asks, plan.chains) == ((), ((0, 2, 4), (1, 3))), strategy
        assert set(plan.sources.values()) == {LinkSource.EXPERT}, strategy
    assert plan_links(Strategy.GREEDY_PLUS, [LinkMention(7, 0, 0, frozenset(), "it")], {}).chains == ((7,),)


PEOPLE = frozenset(["people"])
THREE_MENTIONS = [
    LinkMention(1, 0, 0, PEOPLE, "man"), LinkMention(2, 0, 5, PEOPLE, "boy"),
    LinkMention(3, 1, 0, PEOPLE | {"other"}, "team"), LinkMention(4, 2, 0, frozenset(["other"]), "game"),
]  # fmt: skip


def test_every_pair_that_can_corefer_is_open_at_once_and_chains_are_shown_meanwhile():
    assert asked(plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {})) == ((1, 3), (2, 3), (3, 4))
    plan = plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {(2, 3): [True]})
    assert (asked(plan), plan.chains) == (((1, 3), (3, 4)), ((1,), (2, 3), (4,)))


def test_answered_set_and_skipped_pairs_are_not_asked_and_contradictions_stay():
    plan = plan_links(
        Strategy.EXHAUSTIVE, THREE_MENTIONS, {(1, 3): [True]}, expert_links={(2, 3): False}, skipped=[(3, 4)]
    )
    assert not plan.asks and plan.chains == ((1, 3), (2,), (4,))
    assert unsettled(plan) == {1, 4}
    assert plan.sources == {(1, 3): LinkSource.ASKED_YES, (2, 3): LinkSource.EXPERT, (3, 4): LinkSource.ASKED_NO}
    plan = plan_links(Strategy.EXHAUSTIVE, THREE_MENTIONS, {(1, 3): [True], (2, 3): [True], (3, 4): [False]})
    assert (plan.chains, plan.asks, overruled(plan)) == (((1, 2, 3), (4,)), (), set())


FOUR_MEN = [mention(1, 0), mention(2, 1), mention(3, 2), mention(4, 3)]
TYPED = [mention(1, 0), mention(2, 1, types="people/other"), mention(3, 2, types="other")]
ONE_CAPTION = [mention(1, 0), mention(2, 1), mention(3, 1, start=4), mention(4, 2)]


def votes(**cast: str) -> dict[Pair, list[bool]]:
    """votes(p12="yn"): the pair (1, 2) was first answered yes, then no."""
    return {(int(pair[1]), int(pair[2])): [vote == "y" for vote in answers] for pair, answers in cast.items()}


@case("the second mention is compared with the first, and nothing else", FOUR_MEN, votes(), {}, [(1, 2)])
@case("with one mention of the chain", FOUR_MEN, votes(p12="y"), {}, [(1, 3)])
@case("with one mention of each chain", FOUR_MEN, votes(p12="n"), {}, [(1, 3), (2, 3)])
@case("the next mention waits for all answers", FOUR_MEN, votes(p12="n", p13="y"), {}, [(2, 3)])
@case("a chain with the caption is no candidate", ONE_CAPTION, votes(p12="y"), {}, [(1, 4), (3, 4)])
@case("a yes joins one chain alone", FOUR_MEN, votes(p12="n", p13="y", p23="n"), {}, [(1, 4), (2, 4)])
@case("with the first mention that shares a type", TYPED, votes(p12="y"), {}, [(2, 3)])
@case("a chain that shares no type is no candidate", TYPED, votes(p12="n"), {}, [(2, 3)])
@case("only the first vote places", FOUR_MEN, votes(p12="nyy"), {}, [(1, 3), (2, 3)])
@case("compared before: apart", FOUR_MEN, votes(p12="y", p23="n"), {}, [(1, 4), (3, 4)])
@case("compared before: together", FOUR_MEN, votes(p12="y", p23="y"), {}, [(1, 4)])
@case("set by an expert", FOUR_MEN, votes(), {"expert_links": {(1, 2): True}}, [(1, 3)])
@case("joined by an expert", FOUR_MEN, votes(p12="y"), {"expert_links": {(2, 3): True}}, [(1, 4)])
@case("kept apart by an expert", FOUR_MEN, votes(p12="y"), {"expert_links": {(2, 3): False}}, [(1, 4), (3, 4)])
@case("a skipped question counts as no", FOUR_MEN, votes(), {"skipped": [(1, 2)]}, [(1, 3), (2, 3)])
def test_greedy_asks_what_places_the_next_mention(mentions: list[LinkMention], cast: Any, more: Any, open: list[Pair]):
    assert list(asked(plan_links(Strategy.GREEDY, mentions, cast, **more))) == open


@case("several yes join the chains", votes(p12="n", p13="y", p23="y"), ((1, 2, 3), (4,)), ((1, 4),))
@case("no yes makes a new chain", votes(p12="y", p13="n", p14="n", p34="n"), ((1, 2), (3,), (4,)), ())
def test_the_chains_of_greedy(cast: dict[Pair, list[bool]], chains: tuple[tuple[int, ...], ...], open: tuple[Pair]):
    plan = plan_links(Strategy.GREEDY, FOUR_MEN, cast)
    assert (plan.chains, asked(plan)) == (chains, open)


THREE, FOUR_PEOPLE = ([mention(number, number) for number in range(1, most + 1)] for most in (3, 4))
SAME_CAPTION = [mention(1, 0), mention(2, 0, 5), mention(3, 1)]
THREE_TYPED = [mention(1, 1), mention(2, 2, types="people/other"), mention(3, 3, types="other")]


def plan(mentions: list[LinkMention], cast: dict[Pair, list[bool]], **more: object) -> LinkPlan:
    return plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, cast, **more)  # type: ignore[arg-type]


NEXT = "a treated link that decides nothing yet leads to the next contradiction"
UNDECIDED = votes(p12="yy", p13="yy", p23="nyyy", p14="y", p24="n", p34="n")
ALL_THREE = ((1, 2), (1, 3), (2, 3))


@case("the links of a contradiction are asked again together", THREE, votes(p12="y", p13="y", p23="n"), ALL_THREE)
@case("a link is asked until one side leads by two", THREE, votes(p12="yy", p13="yy", p23="ny"), ((2, 3),))
@case("by two, not by one", THREE, votes(p12="yy", p13="yy", p23="nyy"), ((2, 3),))
@case("one side leads by two", THREE, votes(p12="yy", p13="yy", p23="nyyy"), ())
@case("mentions of one caption are a settled no", SAME_CAPTION, votes(p13="y", p23="y"), ((1, 3), (2, 3)))
@case("types that differ are a settled no", THREE_TYPED, votes(p12="y", p23="y"), ((1, 2), (2, 3)))
@case(NEXT, FOUR_PEOPLE, UNDECIDED, ((1, 4), (2, 4)))
def test_the_links_that_are_asked_again(mentions: list[LinkMention], cast: Any, open: tuple[Pair, ...]):
    assert asked(plan(mentions, cast)) == open


JOINED = {(1, 2): True, (2, 3): True, (3, 4): True}
TIE = "a tie goes to the link earlier in reading order and both chains are doubted"
TIED = {"overruled": {(2, 3)}, "doubted": {1, 2}}
FREE, SPLIT = "an expert may link what the rules keep apart", "an experts no splits what workers linked"
WITHIN = "a link within a chain that an expert made is not overruled"
OVER = {"overruled": {(1, 3)}, "doubted": {1, 3}}


@case("five votes decide without such a lead", THREE, votes(p12="yy", p13="yy", p23="nynyy"), {}, ((1, 2, 3),), {})
@case(TIE, SAME_CAPTION, votes(p13="yy", p23="yy"), {}, ((1, 3), (2,)), TIED)
@case("a link is turned by its majority", THREE, votes(p12="yy", p13="ynnn", p23="nn"), {}, ((1, 2), (3,)), {})
@case("a contradiction is treated once", THREE, votes(p12="yy", p13="yy", p23="nn"), {}, ((1, 2), (3,)), OVER)
@case(WITHIN, FOUR_PEOPLE, votes(p13="nn", p14="yy", p24="yy"), JOINED, ((1, 2, 3, 4),), {})
@case(FREE, SAME_CAPTION, votes(p13="y", p23="y"), {(1, 2): True}, ((1, 2, 3),), {})
@case(SPLIT, THREE, votes(p12="yy", p13="yy", p23="y"), {(2, 3): False}, ((1, 2), (3,)), OVER)
@case("an experts links are never overruled", SAME_CAPTION, {}, {(1, 3): True, (2, 3): True}, ((1, 2, 3),), {})
def test_what_a_settled_plan_makes_of_the_answers(mentions: Any, cast: Any, given: Any, chains: Any, becomes: Any):
    done = plan(mentions, cast, expert_links=given)
    left = {"overruled": overruled(done), "doubted": doubted(done), "unsettled": unsettled(done)}
    assert (done.asks, done.chains) == ((), chains)
    assert {name: those for name, those in left.items() if those} == becomes


def test_no_chain_is_doubted_that_an_overruled_link_does_not_touch_and_lead_and_most_votes_are_settings():
    apart = votes(p13="yy", p23="yy", p14="n", p24="n", p34="n")
    assert doubted(plan([*SAME_CAPTION, mention(4, 4)], apart)) == {1, 2}
    cast = votes(p12="yy", p13="yy", p23="nyy")
    assert not plan(THREE, cast, most=3).asks and not plan(THREE, cast, lead=1).asks
    assert asked(plan(THREE, cast, lead=3)) == ((1, 2), (1, 3), (2, 3))


def test_links_asked_again_have_that_source_and_of_two_that_cannot_both_hold_the_larger_margin_wins():
    done = plan(FOUR_PEOPLE, votes(p12="yy", p13="yy", p23="nyyy", p14="n", p24="n", p34="n"))
    assert done.sources[2, 3] == done.sources[1, 2] == LinkSource.REASKED
    assert done.sources[1, 4] == LinkSource.ASKED_NO
    done = plan(SAME_CAPTION, votes(p13="yny", p23="yy"), most=3)
    assert (done.chains, overruled(done)) == (((1,), (2, 3)), {(1, 3)})
    assert done.sources[1, 3] == LinkSource.OVERRULED


def test_contradictions_are_taken_one_at_a_time():
    cast = votes(p12="y", p13="y", p23="n", p14="y", p24="y", p34="n")
    assert asked(plan(FOUR_PEOPLE, cast)) == ((1, 2), (1, 3), (2, 3))
    # Once 1 and 3 turn out to differ, 1, 2 and 4 agree, and no other contradiction is left.
    assert not plan(FOUR_PEOPLE, cast | votes(p12="yy", p13="ynnn", p23="nn")).asks


def test_a_link_on_a_longer_path_is_asked_again_before_it_is_overruled():
    mentions = [
        mention(1, 1, types="a"), mention(2, 2, types="a/b"), mention(3, 3, types="b/c"),
        mention(4, 4, types="c/a"),
    ]  # fmt: skip
    cast = votes(p12="y", p23="y", p34="y", p14="n", p24="n")
    # The shortest first: 2 and 4 are kept apart, and 3 is linked to both.
    assert asked(plan(mentions, cast)) == ((1, 2), (2, 3))
    triangles = cast | votes(p12="yy", p23="yy", p34="yy", p24="nn")
    assert asked(plan(mentions, triangles)) == ((1, 4),)
    settled = plan(mentions, triangles | votes(p14="nn"))
    assert not settled.asks and settled.chains == ((1, 2), (3, 4))
    assert overruled(settled) == {(2, 3)} and doubted(settled) == {1, 3}


def test_an_experts_links_come_first_and_those_that_contradict_one_another_are_asked_of_nobody():
    cast, given = votes(p23="y"), {(1, 2): True, (3, 4): True, (1, 4): False}
    assert asked(plan_links(Strategy.GREEDY_PLUS, FOUR_PEOPLE, cast, expert_links=given)) == ((2, 3),)
    done = plan_links(Strategy.GREEDY_PLUS, FOUR_PEOPLE, {}, expert_links=JOINED | {(1, 4): False})
    assert (done.asks, done.chains, overruled(done)) == ((), ((1, 2, 3, 4),), set())
    done = plan(SAME_CAPTION, votes(p13="yy"), expert_links={(2, 3): True})
    assert (done.asks, done.chains, overruled(done)) == ((), ((1,), (2, 3)), {(1, 3)})
    assert done.sources[2, 3] == LinkSource.EXPERT


def test_a_link_on_which_no_side_leads_or_that_nobody_can_answer_again_is_unsettled_and_overrules_nothing():
    for first in ("yy", "yyy"):  # 3 joins 1 after 2 or before it
        done = plan(THREE, votes(p12="yy", p13=first, p23="ny"), most=2)
        assert unsettled(done) == {1}
        assert (done.chains, overruled(done), doubted(done)) == (((1, 2, 3),), set(), set())
    cast = votes(p12="yy", p13="yy", p23="n")
    assert asked(plan(THREE, cast)) == ((2, 3),)
    done = plan(THREE, cast, skipped=[(2, 3)])
    assert (done.asks, unsettled(done)) == ((), {1})


def test_a_consensus_is_a_lead_of_two_among_at_most_five_votes_unless_settings_say_otherwise():
    policy, usual = PaperLinks(Strategy.GREEDY_PLUS), signature(plan_links).parameters
    assert (policy.lead, policy.most) == (usual["lead"].default, usual["most"].default) == (2, 5)
    assert [margin(votes) for votes in ([], [True], [False], [True, False, False])] == [0, 1, -1, -1]


def test_without_plus_nothing_is_asked_again():
    for strategy in (Strategy.EXHAUSTIVE, Strategy.GREEDY):
        done = plan_links(strategy, THREE, votes(p12="n", p13="y", p23="y"))
        found = (done.asks, done.chains, overruled(done), doubted(done))
        assert found == ((), ((1, 2, 3),), set(), set()), strategy


def found(size: int, yes: list[tuple[int, int]], no: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Take the first contradiction again and again, until none has a link that was in no earlier one.

    Each is the same for who remembers the searches so far and for who does not.
    """
    fresh, paths, searched = {*yes, *no}, [], Searched()
    links = masks(size, yes), masks(size, no)
    while path := first_contradiction(*links, masks(size, sorted(fresh)), searched):
        paths.append(path)
        assert path == first_contradiction(*links, masks(size, sorted(fresh)))
        fresh -= {(min(pair), max(pair)) for pair in zip(path, (*path[1:], path[0]), strict=True)}
    return paths


LONGER = "a no between the ends of a longer path of yes contradicts"
PATH, ZIGZAG = [(0, 1), (1, 2), (2, 3), (3, 4)], [(0, 4), (2, 4), (1, 2), (1, 3)]
BENT, THREE_WAYS = [(0, 2), (0, 6), (2, 3), (5, 6), (5, 7)], [(first, first + 3) for first in (1, 2, 3)]
THREE_WAYS += [(0, 1), (0, 2), (0, 3), (4, 7), (5, 7), (6, 7)]
EVERY, SQUARE = "every shortest path between the ends of a no is a contradiction", [(0, 1), (1, 3), (0, 2), (2, 3)]


@case("two yes and a no contradict", 3, [(0, 1), (1, 2)], [(0, 2)], [(0, 1, 2)])
@case("three yes do not contradict", 3, [(0, 1), (1, 2), (0, 2)], [], [])
@case("a single yes does not contradict", 3, [(0, 1)], [(1, 2), (0, 2)], [])
@case("an unknown third link does not contradict", 3, [(0, 1), (1, 2)], [], [])
@case(LONGER, 4, PATH[:3], [(0, 3)], [(0, 1, 2, 3)])
@case(f"{LONGER} in any order", 5, ZIGZAG, [(0, 3)], [(0, 4, 2, 1, 3)])
@case("the shortest path comes first", 5, PATH, [(0, 3), (2, 4)], [(2, 3, 4), (0, 1, 2, 3)])
@case("then reading order", 4, [(0, 1), (0, 2), (0, 3)], [(1, 2), (2, 3)], [(1, 0, 2), (2, 0, 3)])
@case(
    "then reading order of longer paths from two beginnings",
    8, BENT, [(2, 5), (2, 7), (3, 5)], [(2, 0, 6, 5), (3, 2, 0, 6, 5), (2, 0, 6, 5, 7)],
)  # fmt: skip
@case(
    "then reading order of two ends",
    6, [(0, 3), (0, 1), (1, 4), (1, 5)], [(3, 4), (3, 5)], [(3, 0, 1, 4), (3, 0, 1, 5)],
)  # fmt: skip
@case(
    "then reading order of what is fresh",
    8, THREE_WAYS, [(0, 7)], [(0, 1, 4, 7), (0, 2, 5, 7), (0, 3, 6, 7)],
)  # fmt: skip
@case(EVERY, 4, SQUARE, [(0, 3)], [(0, 1, 3), (0, 2, 3)])
def test_contradictions_one_after_another(size: int, yes: list[Pair], no: list[Pair], paths: list[tuple[int, ...]]):
    assert found(size, yes, no) == paths


def test_a_contradiction_without_a_fresh_link_is_passed_over_and_equal_settings_of_a_policy_have_one_json():
    yes, no = masks(4, [(0, 1), (1, 2), (1, 3)]), masks(4, [(0, 2), (2, 3)])
    assert first_contradiction(yes, no, masks(4, [(1, 3)])) == (2, 1, 3)
    assert first_contradiction(yes, no, [0] * 4) is None
    assert json_of({"a": 1, "b": 2}) == json_of({"b": 2, "a": 1})
