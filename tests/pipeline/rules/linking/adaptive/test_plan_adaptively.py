"""The adaptive strategy on small groups: what it asks, when it stops, and what it makes of the answers."""

from itertools import combinations

import pytest

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.transitivity import can_corefer
from tests.support.link_groups import NO, YES, ask_all, people, plan
from workers.rules.share import logit


def test_one_pair_is_open_at_a_time_and_it_is_one_that_may_be_asked() -> None:
    group = people(7)
    (pair,) = plan(group).open
    by_number = {mention.number: mention for mention in group}
    assert can_corefer(by_number[pair[0]], by_number[pair[1]])


def test_of_pairs_that_tell_the_same_the_first_in_reading_order_is_asked() -> None:
    assert plan(people(3)).open == ((0, 1),)


def test_what_follows_from_answers_is_not_asked() -> None:
    group = people(5)
    _, judgments = ask_all(group, dict.fromkeys(range(5), 0))
    assert judgments < len(list(combinations(group, 2)))


def test_a_higher_stop_asks_less() -> None:
    gold = {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}
    counts = [ask_all(people(5), gold, stop)[1] for stop in (0.4, 0.1, 0.01)]
    assert counts == sorted(counts) and counts[0] < counts[-1]


def test_where_no_answer_tells_enough_the_prior_decides() -> None:
    joined = LinkPrior({"": (-5.0, 0.0, 0.0, 0.0, 0.0)})
    ended = plan_adaptively(people(2), {}, prior=joined, stop=0.99)
    assert ended.open == () and ended.chains == ((0, 1),)
    assert plan(people(2), stop=0.99).links_right == {0: 0.5, 1: 0.5}


def test_a_chain_that_shares_a_head_noun_with_another_of_its_group_is_less_sure_to_be_whole() -> None:
    alike = plan(people(2), {(0, 1): [NO, NO, NO]}, stop=0.5)
    two_words = [people(2)[0], people(2)[1]._replace(head="dog", words=("a", "dog"))]
    unlike = plan(two_words, {(0, 1): [NO, NO, NO]}, stop=0.5)
    assert alike.links_right == pytest.approx(unlike.links_right)
    assert alike.confidence[0] < unlike.confidence[0] < unlike.links_right[0]


def test_answers_say_a_share_of_what_they_would_say_of_a_pair_that_is_hard_by_itself() -> None:
    full, tempered = (
        plan_adaptively(people(2), {(0, 1): [YES]}, prior=LinkPrior({"": (0.0,) * 5}, temper=temper), stop=0.9)
        for temper in (1.0, 0.5)
    )
    odds = [logit(one.links_right[0]) for one in (full, tempered)]
    assert odds[1] == pytest.approx(odds[0] / 2, abs=1e-4) and odds[0] > 0


def test_a_placed_group_says_how_likely_each_pair_is_one_thing() -> None:
    assert plan(people(2), {(0, 1): [YES, YES, YES]}, stop=0.5).together[0, 1] > 0.9
    assert plan(people(2), {(0, 1): [NO, NO, NO]}, stop=0.5).together[0, 1] == pytest.approx(0.2, abs=0.02)
    unlike = [people(2)[0], people(2)[1]._replace(head="dog", words=("a", "dog"))]
    assert plan(unlike, {(0, 1): [NO, NO, NO]}, stop=0.5).together[0, 1] < 0.06
    assert plan(people(2)).open and plan(people(2)).together == {}


def test_answers_that_disagree_are_asked_again_and_the_link_says_so() -> None:
    heard = {(0, 1): [YES, NO]}
    assert plan(people(2), heard).open == ((0, 1),)
    ended = plan(people(2), {(0, 1): [YES, NO, YES, YES, YES]}, stop=0.1)
    assert ended.chains == ((0, 1),) and ended.sources == {(0, 1): LinkSource.REASKED}


def test_a_pair_without_agreement_is_left_to_an_expert_at_the_limit() -> None:
    divided = {(0, 1): [YES, NO]}
    assert plan(people(2), divided, most=3).open == ((0, 1),)
    ended = plan(people(2), divided, most=2)
    assert ended.open == () and ended.unsettled == {(0, 1)}


def test_a_group_that_stays_in_doubt_is_left_to_an_expert_after_four_judgments_for_each_pair() -> None:
    assert plan(people(2), {(0, 1): [YES, NO, YES]}).open == ((0, 1),)
    assert plan(people(2), {(0, 1): [YES, NO] * 2}).unsettled == {(0, 1)}
    # What is all but certain is no reason, however often it was asked.
    assert plan(people(2), {(0, 1): [YES] * 6}, stop=1e-9).open == ((0, 1),)


def test_a_pair_that_nobody_can_answer_is_not_asked_and_left_to_an_expert_where_it_matters() -> None:
    ended = plan(people(2), skipped=[(0, 1)])
    assert ended.open == () and ended.unsettled == {(0, 1)}
    # The other two answers say what it is.
    three = plan(people(3), {(0, 1): [YES], (1, 2): [NO]}, stop=0.15, skipped=[(0, 2)])
    assert three.unsettled == frozenset()


@pytest.mark.parametrize("same", [True, False])
def test_an_expert_is_believed_and_not_asked(*, same: bool) -> None:
    ended = plan(people(2), {(0, 1): [Heard(not same)] * 3}, given={(0, 1): same})
    assert ended.open == () and (ended.chains == ((0, 1),)) is same
    assert ended.sources == {(0, 1): LinkSource.EXPERT}


def test_an_expert_may_link_what_the_rules_keep_apart() -> None:
    one_caption = people(2, captions=1)
    assert plan(one_caption).chains == ((0,), (1,))
    assert plan(one_caption, given={(0, 1): True}).chains == ((0, 1),)


def test_what_follows_from_an_experts_word_stands_against_everything_else() -> None:
    # 0 is certainly 2, whose caption is also that of 3; then an expert says that 0 is 3.
    group = people(4, captions=2)
    heard = {(0, 1): [YES] * 15, (2, 3): [YES] * 15}
    ended = plan(group, heard, given={(0, 3): True})
    assert (0, 3) in ended.chains
    extreme = LinkPrior({"": (0.0, -100.0, -100.0, -100.0, -100.0)})
    assert plan_adaptively(people(2), {}, prior=extreme, stop=0.1, given={(0, 1): True}).chains == ((0, 1),)


def test_a_link_that_nobody_was_asked_has_no_answer_for_its_source() -> None:
    same = {(0, 1): [YES] * 4, (1, 2): [YES] * 4}
    ended = plan(people(3), same, stop=0.2, skipped=[(0, 2)])
    assert ended.chains == ((0, 1, 2),) and (0, 2) not in ended.sources


def test_a_yes_that_does_not_fit_the_others_is_overruled_and_its_chains_doubted() -> None:
    heard = {(0, 1): [YES] * 3, (1, 2): [YES] * 3, (0, 2): [NO]}
    ended = plan(people(3), heard, stop=0.3)
    assert ended.chains == ((0, 1, 2),)
    assert ended.sources[0, 2] is LinkSource.OVERRULED and ended.doubted == {0}


def test_careless_workers_are_asked_about_more() -> None:
    trusted, careless = ({(0, 1): [Heard(True, shift)]} for shift in (-1.5, 1.5))
    assert plan(people(2), trusted, stop=0.12).open == ()
    assert plan(people(2), careless, stop=0.12).open == ((0, 1),)


def test_a_pair_out_of_reading_order_is_refused() -> None:
    with pytest.raises(ValueError, match="reading order"):
        plan(people(2), {(1, 0): [YES]})
