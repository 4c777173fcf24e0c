"""The adaptive strategy on small groups: what it asks, when it stops, and what it makes of the answers.
Questions about chains that a rule keeps apart, and the chains that answers make of them.
Links asked at random: how many, which, and what is predicted of them.
Chains that programs predict weigh as much as the programs are right.
Images whose links are planned at once, beyond the two rules.
"""

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from annotation.rules.link_group import LinkGroup, link_group
from annotation.rules.transitivity import LinkMention, Pair, can_corefer
from belief.links.answer_model import REASK_VALUE, LinkAnswer, reask
from belief.links.link_prior import DEFAULT, SAME_APART, LinkPrior
from belief.links.program_links import (
    MIN_ERROR,
    WEAK,
    ProgramLinks,
    VerdictErrors,
    log_ratios,
    program_links,
    program_scores,
    reference_ratio,
    verdicts_of,
)
from belief.models.reference import Reference
from pipeline.policies.adaptive_links import LINK_SECONDS, GroupPlan, PlanInput, plan_adaptively, posterior_links
from pipeline.policies.join_links import plan_joins, plan_with_joins
from pipeline.protocol.links.policy import Ask
from pipeline.protocol.state.progress import LinkSource
from tests.belief.test_link_features import named_mention as mention
from tests.support.link_groups import EVEN, NO, YES, ask_all, asked, people, plan
from tests.support.table import case
from workers.rules.score import logit


def test_one_pair_is_open_at_a_time_and_of_those_that_tell_the_same_the_first_in_reading_order() -> None:
    group = people(7)
    (pair,) = asked(plan(group))
    by_number = {mention.number: mention for mention in group}
    assert can_corefer(by_number[pair[0]], by_number[pair[1]])
    assert asked(plan(people(3))) == ((0, 1),)


def test_what_follows_from_answers_is_not_asked_and_a_higher_stop_asks_less() -> None:
    assert ask_all(people(5), dict.fromkeys(range(5), 0))[1] < len(list(combinations(range(5), 2)))
    gold = {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}
    counts = [ask_all(people(5), gold, stop)[1] for stop in (0.4, 0.1, 0.01)]
    assert counts == sorted(counts) and counts[0] < counts[-1]


def test_where_no_answer_tells_enough_the_prior_decides() -> None:
    joined = LinkPrior({"": (-5.0, 0.0, 0.0, 0.0, 0.0)})
    ended = plan_adaptively(PlanInput(people(2), {}, prior=joined, stop=0.99))
    assert not ended.asks and ended.chains == ((0, 1),)
    assert plan(people(2), stop=0.99).links_right == {0: 0.5, 1: 0.5}


def test_a_chain_that_shares_a_head_noun_with_another_of_its_group_is_less_sure_to_be_whole() -> None:
    alike = plan(people(2), {(0, 1): [NO, NO, NO]}, stop=0.5)
    two_words = [people(2)[0], people(2)[1]._replace(head="dog", words=("a", "dog"))]
    unlike = plan(two_words, {(0, 1): [NO, NO, NO]}, stop=0.5)
    assert alike.links_right == pytest.approx(unlike.links_right)
    assert alike.confidence[0] < unlike.confidence[0] < unlike.links_right[0]


def test_answers_say_a_share_of_what_they_would_say_of_a_pair_that_is_hard_by_itself() -> None:
    full, tempered = (
        plan_adaptively(PlanInput(people(2), {(0, 1): [YES]}, LinkPrior({"": (0.0,) * 5}, temper=temper), 0.9))
        for temper in (1.0, 0.5)
    )
    odds = [logit(one.links_right[0]) for one in (full, tempered)]
    assert odds[1] == pytest.approx(odds[0] / 2, abs=1e-4) and odds[0] > 0


def test_a_placed_group_says_how_likely_each_pair_is_one_thing() -> None:
    assert plan(people(2), {(0, 1): [YES, YES, YES]}, stop=0.5).together[0, 1] > 0.9
    assert plan(people(2), {(0, 1): [NO, NO, NO]}, stop=0.5).together[0, 1] == pytest.approx(0.2, abs=0.02)
    unlike = [people(2)[0], people(2)[1]._replace(head="dog", words=("a", "dog"))]
    assert plan(unlike, {(0, 1): [NO, NO, NO]}, stop=0.5).together[0, 1] < 0.06
    assert plan(people(2)).asks and plan(people(2)).together == {}


def test_answers_that_disagree_are_asked_again_and_the_link_says_so() -> None:
    assert asked(plan(people(2), {(0, 1): [YES, NO]})) == ((0, 1),)
    ended = plan(people(2), {(0, 1): [YES, NO, YES, YES, YES]}, stop=0.1)
    assert ended.chains == ((0, 1),) and ended.sources == {(0, 1): LinkSource.REASKED}


NONE: set[Pair] = set()
ASKED, LEFT, SETTLED = ({(0, 1)}, NONE), (NONE, {(0, 1)}), (NONE, NONE)
AFTER_FOUR = "a group that stays in doubt is left to an expert after four judgments for each pair"


@case("a pair without agreement is asked again before the limit", [YES, NO], {"most": 3}, ASKED)
@case("a pair without agreement is left to an expert at the limit", [YES, NO], {"most": 2}, LEFT)
@case("a group in doubt is asked again before four judgments", [YES, NO, YES], {}, ASKED)
@case(AFTER_FOUR, [YES, NO] * 2, {}, LEFT)
@case("what is all but certain is no reason, however often it was asked", [YES] * 6, {"stop": 1e-9}, ASKED)
@case("trusted workers are believed", [LinkAnswer(True, -1.5)], {"stop": 0.12}, SETTLED)
@case("careless workers are asked about more", [LinkAnswer(True, 1.5)], {"stop": 0.12}, ASKED)
def test_what_becomes_of_a_pair(heard: list[LinkAnswer], more: Any, becomes: Any) -> None:
    found = plan(people(2), {(0, 1): heard}, **more)
    assert ({*asked(found)}, {*found.unsettled}) == becomes


def test_a_pair_that_nobody_can_answer_is_not_asked_and_left_to_an_expert_where_it_matters() -> None:
    ended = plan(people(2), skipped=[(0, 1)])
    assert not ended.asks and ended.unsettled == {(0, 1)}
    # The other two answers say what it is.
    assert plan(people(3), {(0, 1): [YES], (1, 2): [NO]}, stop=0.15, skipped=[(0, 2)]).unsettled == frozenset()


def test_an_expert_is_believed_and_not_asked_and_may_link_what_the_rules_keep_apart() -> None:
    for same in (True, False):
        ended = plan(people(2), {(0, 1): [LinkAnswer(not same)] * 3}, expert_links={(0, 1): same})
        assert not ended.asks and (ended.chains == ((0, 1),)) is same
        assert ended.sources == {(0, 1): LinkSource.EXPERT}
    one_caption = people(2, captions=1)
    assert plan(one_caption).chains == ((0,), (1,))
    assert plan(one_caption, expert_links={(0, 1): True}).chains == ((0, 1),)


def test_what_follows_from_an_experts_word_stands_against_everything_else() -> None:
    # 0 is certainly 2, whose caption is also that of 3; then an expert says that 0 is 3.
    ended = plan(people(4, captions=2), {(0, 1): [YES] * 15, (2, 3): [YES] * 15}, expert_links={(0, 3): True})
    assert (0, 3) in ended.chains
    certain = LinkPrior({"": (0.0, -100.0, -100.0, -100.0, -100.0)})
    said = plan_adaptively(PlanInput(people(2), {}, prior=certain, stop=0.1, expert_links={(0, 1): True}))
    assert said.chains == ((0, 1),)


def test_a_yes_that_does_not_fit_the_others_is_overruled_its_chains_doubted_and_what_nobody_was_asked_has_no_source():
    ended = plan(people(3), {(0, 1): [YES] * 3, (1, 2): [YES] * 3, (0, 2): [NO]}, stop=0.3)
    assert ended.chains == ((0, 1, 2),)
    assert ended.sources[0, 2] is LinkSource.OVERRULED and ended.doubted == {0}
    ended = plan(people(3), {(0, 1): [YES] * 4, (1, 2): [YES] * 4}, stop=0.2, skipped=[(0, 2)])
    assert ended.chains == ((0, 1, 2),) and (0, 2) not in ended.sources
    with pytest.raises(ValueError, match="reading order"):
        plan(people(2), {(1, 0): [YES]})


TABLES = [mention(0, 0, "a table"), mention(1, 0, "the table")]


def planned_joins(mentions: list[LinkMention], heard: Any = None, **more: Any) -> GroupPlan:
    return plan_with_joins(PlanInput(mentions, heard or {}, **{"prior": DEFAULT, "stop": 0.05, **more}))


IN_PARK = [mention(0, 0, "three men", "people"), mention(1, 0, "a park", "scene")]
NEVER = replace(DEFAULT, joins={"any two chains": -9.0})


@case("two likely places of one caption are asked about", TABLES, DEFAULT, ((0, 1),))
@case("what is unlikely is not asked", IN_PARK, DEFAULT, ())
@case("a project can learn that such chains are two things", TABLES, NEVER, ())
def test_which_joins_are_asked(mentions: list[LinkMention], prior: LinkPrior, pairs: tuple[Pair, ...]) -> None:
    found = planned_joins(mentions, prior=prior)
    assert asked(found) == pairs and all(0.05 <= ask.value <= 1 for ask in found.asks)


def test_a_pair_has_the_chance_of_its_links_alone_where_chains_that_break_a_rule_are_weighed() -> None:
    unlike = [people(2)[0], people(2)[1]._replace(head="dog", words=("a", "dog"))]
    known = PlanInput(unlike, {(0, 1): [NO] * 3}, DEFAULT, stop=0.5)
    found = (planned(known) for planned in (plan_adaptively, plan_with_joins))
    by_rules, beyond = (planned.together[0, 1] for planned in found)
    assert by_rules == pytest.approx(SAME_APART + (1 - SAME_APART) * beyond, abs=1e-4)


def test_yes_makes_one_chain_and_no_keeps_two() -> None:
    joined, kept = planned_joins(TABLES, {(0, 1): [YES] * 3}), planned_joins(TABLES, {(0, 1): [NO] * 2})
    assert (asked(joined), joined.chains) == ((), ((0, 1),))
    assert (asked(kept), kept.chains) == ((), ((0,), (1,)))
    assert joined.sources == {(0, 1): LinkSource.REASKED}


def test_a_joined_chain_is_as_sure_as_its_parts_and_its_join() -> None:
    joined = planned_joins(TABLES, {(0, 1): [YES] * 3}, stop=0.3)
    assert joined.links_right == {0: 1.0} and joined.whole[0] == pytest.approx(joined.together[0, 1], abs=1e-3)
    assert joined.confidence == pytest.approx(joined.whole)


def test_an_answer_that_is_not_followed_is_overruled_and_marks_its_chains() -> None:
    assert planned_joins(TABLES, {(0, 1): [YES]}, stop=0.9).doubted == frozenset()
    unlikely = replace(DEFAULT, joins={"any two chains": -5.5})
    against = planned_joins(TABLES, {(0, 1): [YES]}, stop=0.9, prior=unlikely)
    assert against.overruled == {(0, 1)} and against.doubted == {0, 1}


def test_a_pair_that_nobody_can_answer_waits_for_an_expert_who_is_never_asked_about_again() -> None:
    found = planned_joins(TABLES, skipped=[(0, 1)])
    assert (asked(found), found.unsettled) == ((), {(0, 1)})
    ended = planned_joins(TABLES, expert_links={(0, 1): True})
    assert (asked(ended), ended.chains, ended.sources) == ((), ((0, 1),), {(0, 1): LinkSource.EXPERT})


def test_the_mentions_that_were_asked_least_are_asked_next() -> None:
    chain = [mention(0, 0, "a table"), mention(2, 1, "a table")]
    settled = {(0, 2): [YES] * 4}
    (pair,) = asked(planned_joins([*chain, TABLES[1]._replace(start=9)], settled))
    (again,) = asked(planned_joins([*chain, TABLES[1]._replace(start=9)], {**settled, pair: [YES]}))
    assert again != pair


FOUR_TABLES = [mention(number, 0, "a table") for number in range(4)]


def apart(tables: list[LinkMention]) -> list[LinkMention]:
    """Mentions that only a rule keeps apart: each has a type of its own."""
    return [table._replace(types=frozenset({f"kind {place}"})) for place, table in enumerate(tables)]


def test_one_chain_and_others_that_a_rule_keeps_apart_are_asked_about_at_once_unless_nobody_may_sweep_them() -> None:
    (ask,) = planned_joins(apart(FOUR_TABLES), seconds=LINK_SECONDS, stop=0.01).asks
    assert len(ask.subject) > 2 and list(ask.subject[1:]) == sorted(ask.subject[1:])
    pairs = planned_joins(apart(FOUR_TABLES), stop=0.01)
    assert all(len(pair) == 2 for pair in asked(pairs)) and pairs.asks
    assert planned_joins(apart(FOUR_TABLES), seconds=LINK_SECONDS, unswept=range(4), stop=0.01) == pairs


def test_chains_come_in_reading_order_and_fewer_than_two_leave_nothing_to_ask() -> None:
    ended = planned_joins(CAPTIONS, {(0, 1): [YES] * 4, (2, 3): [NO] * 4})
    assert (ended.chains, list(ended.whole)) == (((0, 1), (2,), (3,)), [0, 2, 3])
    known = PlanInput(TABLES[:1], {}, DEFAULT, 0.05)
    ended = plan_joins(known, GroupPlan((), ((0,),), links_right={0: 1.0}))
    assert (asked(ended), ended.chains, ended.whole) == ((), ((0,),), {0: 1.0})


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
    return [audit for audit in lots if audit is not None]


def test_a_group_is_asked_at_random_as_often_as_the_share_of_its_judgments_says_and_always_the_same() -> None:
    expected = {0: 0.05, 1: 0.05, 3: 0.15, 20: 0.5}
    shares = {judgments: len(drawn(0.05, judgments)) / 600 for judgments in expected}
    assert shares == pytest.approx(expected, abs=0.04)
    assert drawn(0.05, 2) == drawn(0.05, 2) != drawn(0.05, 3)
    counts = Counter(drawn(0.2, 5))
    assert sum(counts.values()) > 250 and sorted(counts) == PAIRS
    assert max(counts.values()) < 1.35 * min(counts.values()), "every pair is as likely"


def test_nothing_is_drawn_without_a_share_or_without_pairs_and_without_a_share_the_group_is_placed() -> None:
    assert drawn(0.0, 5) == []
    assert all(reask(link_group(group_of(f"{one}")), 9, [], 0.2) is None for one in range(20))
    assert not any(ended(0.0, word=f"man-{one}").asks for one in range(30))


def ended(share: float, word: str = "man", heard: Any = None, **more: Any) -> GroupPlan:
    given: dict[str, Any] = {"prior": EVEN, "stop": 0.99, "reask_rate": share, **more}
    return plan_adaptively(PlanInput(group_of(word), heard or {}, **given))


def asked_at_random(**more: Any) -> GroupPlan:
    """Return the plan of the first of many groups that is asked something at random."""
    plans = (ended(0.2, word=f"man-{one}", **more) for one in range(100))
    return next(one for one in plans if one.asks)


def test_a_link_says_how_much_its_answer_tells_and_at_random_what_is_predicted_and_then_comes_first() -> None:
    for heard in ({}, {(0, 1): [YES]}):
        planned = plan(people(3), heard, stop=0.01)
        assert 0.01 <= planned.asks[0].value < 1 and planned.asks[0].predicted is None
    found = asked_at_random()
    assert found.asks == (Ask(asked(found)[0], REASK_VALUE, 0.4),)
    assert found.sources == {} and found.confidence == {}


def test_the_audit_passes_over_pairs_that_an_expert_set_that_nobody_can_answer_or_that_are_asked_enough() -> None:
    more: dict[str, Any] = {"expert_links": {(0, 2): False}, "heard": {(0, 1): [YES, NO, YES]}, "most": 3}
    assert asked(asked_at_random(**more)) == ((1, 2),)
    assert not any(ended(0.2, word=f"man-{one}", skipped=[(1, 2)], **more).asks for one in range(30))


GOOD = VerdictErrors(0.05, 0.02)


def group(*words: str) -> tuple[LinkMention, ...]:
    """People, each in a caption of its own."""
    split = [tuple(text.split()) for text in words]
    return tuple(LinkMention(n, n, 0, frozenset({"people"}), one[-1], one) for n, one in enumerate(split))


THREE = group("a man", "the surfer", "a lady")


def test_a_program_says_same_or_different_of_pairs_that_it_placed_and_nothing_of_others():
    said = verdicts_of(group("a", "b", "c", "d"), [[0, 1], [3]])
    assert said.tolist() == [[0, 1, 0, 2], [1, 0, 0, 2], [0, 0, 0, 0], [2, 2, 0, 0]]


def test_the_ratios_are_those_of_the_likelihoods_none_is_beyond_doubt_and_who_might_as_well_guess_weighs_nothing():
    assert log_ratios(VerdictErrors(0.2, 0.1)) == pytest.approx((math.log(0.8 / 0.1), math.log(0.2 / 0.9)))
    assert log_ratios(VerdictErrors(0.0, 0.0)) == log_ratios(VerdictErrors(MIN_ERROR, MIN_ERROR))
    for errors in (VerdictErrors(0.5, 0.5), VerdictErrors(0.7, 0.3), VerdictErrors(0.9, 0.9)):
        assert log_ratios(errors) == (0.0, 0.0), errors
        assert not program_scores(THREE, [ProgramLinks([[0, 1], [2]], errors)]).any(), errors


def test_mentions_that_are_misplaced_lose_what_keeps_them_apart_and_nothing_else():
    whole = program_scores(THREE, [ProgramLinks([[0, 1], [2]], GOOD)])
    lost = program_scores(THREE, [ProgramLinks([[0, 1], [2]], GOOD, misplaced=frozenset([1]))])
    assert lost[0].tolist() == whole[0].tolist() and lost[0, 2] < 0 < lost[0, 1]
    assert lost[1, 2] == 0 > whole[1, 2]


def test_a_word_that_is_weighed_elsewhere_counts_by_the_share_that_is_left_and_only_for_two_things():
    whole = program_scores(THREE, [ProgramLinks([[0, 1], [2]], GOOD)])
    passed = {(2, 0): 0.25, (1, 0): 1.0, (1, 9): 1.0}
    left = program_scores(THREE, [ProgramLinks([[0, 1], [2]], GOOD, passed=passed)])
    assert left[0, 2] == left[2, 0] == pytest.approx(0.75 * whole[0, 2]) and whole[0, 2] < 0
    assert left[1].tolist() == whole[1].tolist()


def test_the_word_of_a_data_set_on_two_things_is_that_of_its_scores_and_beyond_doubt_outweighs_two_answers():
    source = Reference(program=7, trust=0.9)
    scores = program_scores(THREE, program_links({7: [[0, 1], [2]]}, {}, source))
    assert reference_ratio({}, source) == pytest.approx(scores[0, 2]) and scores[0, 2] < 0
    right = Reference(program=7, wrong=(("", 0.0, 0.0),)).of_links({"people"})
    programs = program_links({7: [[0, 1], [2]]}, {}, right)
    heard, words = {(0, 1): [LinkAnswer(same=False)] * 2}, group("a man", "a person", "a child")
    assert plan_adaptively(PlanInput(words, heard, prior=DEFAULT, stop=0.9, programs=programs)).chains == ((0, 1), (2,))


def test_two_programs_add_up_and_one_without_learned_errors_is_an_unknown_one():
    programs = ProgramLinks([[0, 1], [2]], GOOD), ProgramLinks([[0], [2]], GOOD)
    one, other, both = (program_scores(THREE, those) for those in (programs[:1], programs[1:], programs))
    assert np.array_equal(both, one + other)
    unknown, known = ProgramLinks([[0]], WEAK), ProgramLinks([[1]], VerdictErrors(0.1, 0.2))
    assert program_links({7: [[0]], 8: [[1]]}, {"8": [0.1, 0.2]}) == [unknown, known]


def test_a_good_program_is_believed_and_spares_questions_and_answers_overrule_a_good_program():
    given: dict[str, Any] = {"prior": DEFAULT, "stop": 0.3}
    told = given | {"programs": [ProgramLinks([[0, 1], [2]], GOOD)]}
    assert plan_adaptively(PlanInput(THREE, {}, **given)).asks
    believed = plan_adaptively(PlanInput(THREE, {}, **told))
    assert (asked(believed), believed.chains) == ((), ((0, 1), (2,)))
    assert (0, 1) not in plan_adaptively(PlanInput(THREE, {(0, 1): [LinkAnswer(False)] * 3}, **told)).chains


MEN = [mention(0, 0, "a man", "people"), mention(1, 1, "a boy", "people")]
DOGS = [mention(2, 0, "a dog", "animals"), mention(3, 1, "a pet", "animals")]
CAPTIONS = [MEN[0], DOGS[0], MEN[1], DOGS[1]]


def test_every_group_asks_as_if_it_were_alone_whatever_is_said_across_groups_and_joins_wait_for_all_groups() -> None:
    both = planned_joins(CAPTIONS)
    alone = [plan_adaptively(PlanInput(group, {}, prior=DEFAULT, stop=0.05)) for group in (MEN, DOGS)]
    assert both.asks == alone[0].asks + alone[1].asks and len(both.asks) == 2
    assert plan_with_joins(PlanInput(CAPTIONS[::-1], {}, prior=DEFAULT, stop=0.05)) == both
    assert planned_joins(CAPTIONS, {(0, 2): [NO]}).asks == both.asks
    tables = [mention(4, 0, "a table", start=20), mention(5, 0, "the table", start=24)]
    begun = planned_joins([*CAPTIONS, *tables])
    assert (4, 5) not in asked(begun) and begun.asks
    assert asked(planned_joins([*CAPTIONS, *tables], {(0, 1): [NO] * 4, (2, 3): [NO] * 4})) == ((4, 5),)


FOUR = [LinkMention(number, number, 0, frozenset({"people"}), "man") for number in range(4)]
TOGETHER = ((0, 1, 2, 3),)


def believed(*chains: tuple[int, ...], sources: dict[Pair, LinkSource], unsettled: tuple[Pair, ...] = ()) -> GroupPlan:
    return GroupPlan((), chains=chains, sources=sources, unsettled=frozenset(unsettled))


SAID_YES, SAID_NO, AGAIN = LinkSource.ASKED_YES, LinkSource.ASKED_NO, LinkSource.REASKED
ALL_ASKED = {(0, 1): SAID_YES, (1, 2): SAID_YES, (0, 3): SAID_YES}
IN_PART, BETWEEN = {(0, 1): SAID_YES, (1, 2): AGAIN}, {(0, 1): SAID_YES, (2, 3): SAID_YES, (1, 3): SAID_NO}
UNASKED = [(0, 3), (1, 3), (2, 3)]
THERE = "in a chain a mention that nobody was asked about is there by the posterior"
APART = "two chains between which nobody was asked are apart by the posterior"


@case("what yes links connect follows from them", believed(*TOGETHER, sources=ALL_ASKED), [])
@case(THERE, believed(*TOGETHER, sources=IN_PART), UNASKED)
@case("one no between two parts parts all their mentions", believed((0, 1), (2, 3), sources=BETWEEN), [])
@case(APART, believed((0, 1), (2,), (3,), sources={(0, 1): SAID_YES, (1, 2): SAID_NO}), UNASKED)
def test_the_links_that_hold_by_the_posterior_alone(plan: GroupPlan, links: list[Pair]):
    assert posterior_links(FOUR, plan) == links


def test_neither_a_pair_that_is_ruled_out_nor_an_overruled_link_nor_one_without_consensus_explains_anything():
    same_caption = [*FOUR[:2], LinkMention(2, 1, 5, frozenset({"people"}), "man")]
    assert posterior_links(same_caption, believed((0, 1), (2,), sources={(0, 1): SAID_YES})) == []
    assert posterior_links(same_caption, believed((0, 1), (2,), sources={})) == [(0, 1), (0, 2)]
    overruled = believed((0, 1), (2,), sources={(0, 1): SAID_YES, (1, 2): LinkSource.OVERRULED})
    undecided = believed((0, 1), (2,), sources={(0, 1): SAID_YES, (1, 2): AGAIN}, unsettled=((1, 2),))
    assert [posterior_links(FOUR[:3], wrong) for wrong in (overruled, undecided)] == [[(0, 2)]] * 2
