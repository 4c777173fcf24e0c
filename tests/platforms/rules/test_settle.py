"""What a platform is told of a session, and what a worker still gets."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platforms.rules.settle import Sitting, Verdict, bonus, is_carried, is_coming, verdict, without_carried

DONE = Sitting(handed_in=True, there="submitted", reward=50, earned=50, refused=0)
REJECTED = replace(DONE, there="rejected")


def test_what_was_handed_in_on_both_sides_is_approved():
    assert verdict(DONE) is Verdict.APPROVE


def test_what_has_not_waited_long_enough_waits():
    assert verdict(replace(DONE, due=False)) is Verdict.NONE


def test_what_was_handed_in_there_alone_is_left_to_the_requester():
    assert verdict(replace(DONE, handed_in=False, earned=0)) is Verdict.NONE


def test_what_was_handed_in_here_alone_waits_for_the_platform():
    assert verdict(replace(DONE, there="")) is Verdict.NONE


def test_what_was_refused_whole_is_rejected():
    assert verdict(replace(DONE, refused=50)) is Verdict.REJECT


def test_what_was_refused_in_part_is_approved():
    assert verdict(replace(DONE, refused=20)) is Verdict.APPROVE


def test_a_refusal_that_was_taken_back_overrides_the_rejection():
    assert verdict(replace(DONE, there="rejected", refused=50)) is Verdict.NONE
    assert verdict(replace(DONE, there="rejected")) is Verdict.OVERRIDE


@pytest.mark.parametrize("there", ["approved", "returned"])
def test_what_is_settled_stays_so(there: str):
    assert verdict(replace(DONE, there=there)) is Verdict.NONE


def test_a_session_that_only_took_the_test_is_paid_its_reward_and_no_bonus():
    sitting = replace(DONE, earned=0)
    assert verdict(sitting) is Verdict.APPROVE
    assert sitting.extra == 50
    assert bonus(0, 0, [sitting]) == 0


def test_a_bonus_carries_what_was_earned_beyond_the_reward():
    assert bonus(80, 0, [replace(DONE, earned=80)]) == 30


def test_a_bonus_that_is_on_its_way_is_not_paid_again():
    assert bonus(80, 30, [replace(DONE, earned=80)]) == 0


def test_less_than_the_reward_was_earned_and_nobody_elses_pay_is_cut_for_it():
    """One session earned 5 of a reward of 10, another 20: they pay 10 each, and 10 more for the other."""
    first, second = replace(DONE, reward=10, earned=5), replace(DONE, reward=10, earned=20)
    assert bonus(25, 0, [first, second]) == 10


def test_what_never_arrived_at_the_platform_is_paid_by_a_bonus_elsewhere():
    lost = replace(DONE, there="", awaited=False)
    assert not is_coming(lost)
    assert bonus(50, 0, [lost]) == 50


def test_what_waits_for_the_requester_is_not_paid_by_a_bonus_meanwhile():
    held = replace(DONE, handed_in=False, earned=20)
    assert bonus(20, 0, [held]) == 0
    assert bonus(50, 0, [held]) == 30


def test_what_may_still_arrive_is_not_paid_twice():
    assert bonus(50, 0, [replace(DONE, there="")]) == 0


def test_a_rejection_that_is_to_be_overridden_pays_the_reward_and_no_bonus_besides():
    restored = replace(DONE, there="rejected")
    assert is_coming(restored)
    assert bonus(50, 0, [restored]) == 0


def test_nothing_comes_of_what_was_refused():
    refused = replace(DONE, refused=50)
    assert not is_coming(refused)
    assert bonus(0, 0, [refused]) == 0


class TestCarried:
    """Rejected, and nothing of it refused: a bonus paid it before, or its refusal was taken back."""

    @pytest.mark.parametrize("other", [DONE, replace(DONE, handed_in=False)], ids=["handed in", "at work"])
    def test_what_is_owed_for_other_work_is_not_its_money(self, other: Sitting):
        assert without_carried({1: REJECTED, 2: other}, 50, 0, ()) == {1: replace(REJECTED, there="returned"), 2: other}

    def test_what_is_owed_beside_other_work_is(self):
        sittings = {1: REJECTED, 2: DONE}
        assert without_carried(sittings, 100, 0, ()) == sittings

    def test_what_is_on_its_way_as_a_bonus_is_not_paid_besides(self):
        assert is_carried(REJECTED, 50, 50, ())

    def test_of_two_that_are_owed_for_one_it_is_approved_once(self):
        left = without_carried({1: REJECTED, 2: REJECTED}, 50, 0, ())
        assert [verdict(one) for one in left.values()].count(Verdict.OVERRIDE) == 1

    def test_what_is_being_said_stays(self):
        assert without_carried({1: REJECTED}, 0, 0, {1}) == {1: REJECTED}


sitting = st.builds(
    Sitting,
    handed_in=st.just(True),
    there=st.just("submitted"),
    reward=st.integers(1, 100),
    earned=st.integers(0, 200),
    refused=st.just(0),
)


@given(st.lists(sitting, max_size=6), st.integers(0, 300), st.randoms(use_true_random=False))
def test_in_whatever_order_a_worker_gets_each_reward_whole_and_everything_that_is_owed(sittings, elsewhere, lot):
    """`elsewhere`: owed for other things, such as a bonus by hand."""
    owed = sum(one.earned for one in sittings) + elsewhere
    waiting, paid = list(sittings), 0
    while True:
        more = bonus(owed, 0, waiting)
        owed, paid = owed - more, paid + more
        if not waiting:
            break
        one = waiting.pop(lot.randrange(len(waiting)))
        owed, paid = owed + one.extra - one.reward, paid + one.reward
    assert owed == 0
    assert paid == sum(max(one.earned, one.reward) for one in sittings) + elsewhere
