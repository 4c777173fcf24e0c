"""What a platform is told of a session, and what a worker still gets."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platforms.rules.settle import (
    SessionFacts,
    Settlement,
    bonus,
    is_carried,
    is_coming,
    settlement_of,
    without_carried,
)

DONE = SessionFacts(handed_in=True, platform_state="submitted", reward=50, earned=50, refused=0)
REJECTED = replace(DONE, platform_state="rejected")


def test_what_was_handed_in_on_both_sides_is_approved():
    assert settlement_of(DONE) is Settlement.APPROVE


def test_what_has_not_waited_long_enough_waits():
    assert settlement_of(replace(DONE, due=False)) is Settlement.NONE


def test_what_was_handed_in_there_alone_is_left_to_the_requester():
    assert settlement_of(replace(DONE, handed_in=False, earned=0)) is Settlement.NONE


def test_what_was_handed_in_here_alone_waits_for_the_platform():
    assert settlement_of(replace(DONE, platform_state="")) is Settlement.NONE


def test_what_was_refused_whole_is_rejected():
    assert settlement_of(replace(DONE, refused=50)) is Settlement.REJECT


def test_what_was_refused_in_part_is_approved():
    assert settlement_of(replace(DONE, refused=20)) is Settlement.APPROVE


def test_a_refusal_that_was_taken_back_overrides_the_rejection():
    assert settlement_of(replace(DONE, platform_state="rejected", refused=50)) is Settlement.NONE
    assert settlement_of(replace(DONE, platform_state="rejected")) is Settlement.OVERRIDE


@pytest.mark.parametrize("platform_state", ["approved", "returned"])
def test_what_is_settled_stays_so(platform_state: str):
    assert settlement_of(replace(DONE, platform_state=platform_state)) is Settlement.NONE


def test_a_session_that_only_took_the_test_is_paid_its_reward_and_no_bonus():
    facts = replace(DONE, earned=0)
    assert settlement_of(facts) is Settlement.APPROVE
    assert facts.extra == 50
    assert bonus(0, 0, [facts]) == 0


def test_a_bonus_carries_what_was_earned_beyond_the_reward():
    assert bonus(80, 0, [replace(DONE, earned=80)]) == 30


def test_a_bonus_that_is_on_its_way_is_not_paid_again():
    assert bonus(80, 30, [replace(DONE, earned=80)]) == 0


def test_less_than_the_reward_was_earned_and_nobody_elses_pay_is_cut_for_it():
    """One session earned 5 of a reward of 10, another 20: they pay 10 each, and 10 more for the other."""
    first, second = replace(DONE, reward=10, earned=5), replace(DONE, reward=10, earned=20)
    assert bonus(25, 0, [first, second]) == 10


def test_what_never_arrived_at_the_platform_is_paid_by_a_bonus_elsewhere():
    lost = replace(DONE, platform_state="", awaited=False)
    assert not is_coming(lost)
    assert bonus(50, 0, [lost]) == 50


def test_what_waits_for_the_requester_is_not_paid_by_a_bonus_meanwhile():
    held = replace(DONE, handed_in=False, earned=20)
    assert bonus(20, 0, [held]) == 0
    assert bonus(50, 0, [held]) == 30


def test_what_may_still_arrive_is_not_paid_twice():
    assert bonus(50, 0, [replace(DONE, platform_state="")]) == 0


def test_a_rejection_that_is_to_be_overridden_pays_the_reward_and_no_bonus_besides():
    restored = replace(DONE, platform_state="rejected")
    assert is_coming(restored)
    assert bonus(50, 0, [restored]) == 0


def test_nothing_comes_of_what_was_refused():
    refused = replace(DONE, refused=50)
    assert not is_coming(refused)
    assert bonus(0, 0, [refused]) == 0


class TestCarried:
    """Rejected, and nothing of it refused: a bonus paid it before, or its refusal was taken back."""

    @pytest.mark.parametrize("other", [DONE, replace(DONE, handed_in=False)], ids=["handed in", "at work"])
    def test_what_is_owed_for_other_work_is_not_its_money(self, other: SessionFacts):
        assert without_carried({1: REJECTED, 2: other}, 50, 0, ()) == {
            1: replace(REJECTED, platform_state="returned"),
            2: other,
        }

    def test_what_is_owed_beside_other_work_is(self):
        all_facts = {1: REJECTED, 2: DONE}
        assert without_carried(all_facts, 100, 0, ()) == all_facts

    def test_what_is_on_its_way_as_a_bonus_is_not_paid_besides(self):
        assert is_carried(REJECTED, 50, 50, ())

    def test_of_two_that_are_owed_for_one_it_is_approved_once(self):
        left = without_carried({1: REJECTED, 2: REJECTED}, 50, 0, ())
        assert [settlement_of(one) for one in left.values()].count(Settlement.OVERRIDE) == 1

    def test_what_is_being_said_stays(self):
        assert without_carried({1: REJECTED}, 0, 0, {1}) == {1: REJECTED}


facts = st.builds(
    SessionFacts,
    handed_in=st.just(True),
    platform_state=st.just("submitted"),
    reward=st.integers(1, 100),
    earned=st.integers(0, 200),
    refused=st.just(0),
)


@given(st.lists(facts, max_size=6), st.integers(0, 300), st.randoms(use_true_random=False))
def test_in_whatever_order_a_worker_gets_each_reward_whole_and_everything_that_is_owed(all_facts, elsewhere, lot):
    """`elsewhere`: owed for other things, such as a bonus by hand."""
    owed = sum(one.earned for one in all_facts) + elsewhere
    waiting, paid = list(all_facts), 0
    while True:
        more = bonus(owed, 0, waiting)
        owed, paid = owed - more, paid + more
        if not waiting:
            break
        one = waiting.pop(lot.randrange(len(waiting)))
        owed, paid = owed + one.extra - one.reward, paid + one.reward
    assert owed == 0
    assert paid == sum(max(one.earned, one.reward) for one in all_facts) + elsewhere
