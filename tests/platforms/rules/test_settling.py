"""The decision on a session that is sent to its platform."""

from dataclasses import replace

import pytest

from platforms.rules.settling import SessionFacts, Settlement, expects_reward, is_on_hold, settlement_of

DONE = SessionFacts(handed_in=True, platform_state="submitted", reward=50, earned=50, refused=0)
REJECTED = replace(DONE, platform_state="rejected")


def test_a_session_handed_in_on_both_sides_is_approved():
    assert settlement_of(DONE) is Settlement.APPROVE


def test_a_session_is_not_approved_before_it_has_waited():
    assert settlement_of(replace(DONE, due=False)) is Settlement.NONE


def test_a_session_submitted_on_the_platform_alone_is_left_to_the_requester():
    assert settlement_of(replace(DONE, handed_in=False, earned=0)) is Settlement.NONE


def test_a_session_handed_in_on_our_page_alone_waits_for_the_platform():
    assert settlement_of(replace(DONE, platform_state="")) is Settlement.NONE


def test_a_session_whose_pay_is_all_refused_is_rejected():
    assert settlement_of(replace(DONE, refused=50)) is Settlement.REJECT


def test_a_session_whose_pay_is_refused_in_part_is_approved():
    assert settlement_of(replace(DONE, refused=20)) is Settlement.APPROVE


def test_a_refusal_that_was_taken_back_overrides_the_rejection():
    assert settlement_of(replace(DONE, platform_state="rejected", refused=50)) is Settlement.NONE
    assert settlement_of(replace(DONE, platform_state="rejected")) is Settlement.OVERRIDE


@pytest.mark.parametrize("platform_state", ["approved", "returned"])
def test_a_settled_session_stays_settled(platform_state: str):
    assert settlement_of(replace(DONE, platform_state=platform_state)) is Settlement.NONE


def test_a_reward_is_expected_until_the_platform_pays_or_rejects():
    assert expects_reward(DONE)
    assert expects_reward(replace(DONE, platform_state=""))
    assert not expects_reward(replace(DONE, platform_state="approved"))
    assert not expects_reward(replace(DONE, refused=50))


def test_pay_is_on_hold_while_the_worker_is_at_work_or_the_requester_looks():
    assert is_on_hold(replace(DONE, handed_in=False))
    assert is_on_hold(replace(DONE, due=False))
    assert not is_on_hold(DONE)
    assert not is_on_hold(replace(DONE, handed_in=False, platform_state="returned"))
