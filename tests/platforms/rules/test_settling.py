"""The decision on a session that is sent to its platform, and the bonus of a worker.
Moments when a session on a platform may be handed in.
The number of places that are offered.
"""

from dataclasses import replace
from typing import Any

import pytest

from platforms.rules.places import Change, change, in_chunks, wanted
from platforms.rules.session_end import still_missing
from platforms.rules.settling import (
    SessionFacts,
    Settlement,
    bonus_cents,
    expects_reward,
    is_on_hold,
    is_paid_by_bonus,
    settlement_of,
    without_paid_by_bonus,
)

DONE = SessionFacts(handed_in=True, platform_state="submitted", reward=50, earned=50, refused=0)
REJECTED = replace(DONE, platform_state="rejected")

SETTLED: dict[str, tuple[dict[str, Any], Settlement]] = {
    "handed in on both sides": ({}, Settlement.APPROVE),
    "it has not waited yet": ({"due": False}, Settlement.NONE),
    "on the platform alone: up to the requester": ({"handed_in": False, "earned": 0}, Settlement.NONE),
    "on our page alone: waits for the platform": ({"platform_state": ""}, Settlement.NONE),
    "all pay refused": ({"refused": 50}, Settlement.REJECT),
    "a part refused": ({"refused": 20}, Settlement.APPROVE),
    "rejected": ({"platform_state": "rejected", "refused": 50}, Settlement.NONE),
    "rejected, and the refusal taken back": ({"platform_state": "rejected"}, Settlement.OVERRIDE),
    "approved": ({"platform_state": "approved"}, Settlement.NONE),
    "returned": ({"platform_state": "returned"}, Settlement.NONE),
}


def test_a_session_is_settled():
    found = {case: settlement_of(replace(DONE, **changes)) for case, (changes, _) in SETTLED.items()}
    assert found == {case: decision for case, (_, decision) in SETTLED.items()}


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


def test_a_session_that_only_took_the_test_is_paid_its_reward_and_no_bonus():
    facts = replace(DONE, earned=0)
    assert settlement_of(facts) is Settlement.APPROVE
    assert facts.extra == 50
    assert bonus_cents(0, 0, [facts]) == 0


HELD = replace(DONE, handed_in=False, earned=20)
LESS, MORE = replace(DONE, reward=10, earned=5), replace(DONE, reward=10, earned=20)

BONUSES: dict[str, tuple[int, int, list[SessionFacts], int]] = {
    "what was earned beyond the reward": (80, 0, [replace(DONE, earned=80)], 30),
    "a pending bonus is not planned again": (80, 30, [replace(DONE, earned=80)], 0),
    "a session that earned less than its reward cuts no other pay": (25, 0, [LESS, MORE], 10),
    "pay on hold waits": (20, 0, [HELD], 0),
    "and the rest does not": (50, 0, [HELD], 30),
    "a session may still be listed": (50, 0, [replace(DONE, platform_state="")], 0),
}


def test_a_bonus_pays():
    found = {case: bonus_cents(owed, pending, sessions) for case, (owed, pending, sessions, _) in BONUSES.items()}
    assert found == {case: row[-1] for case, row in BONUSES.items()}


def test_a_session_that_never_reached_the_platform_is_paid_by_a_bonus():
    lost = replace(DONE, platform_state="", awaited=False)
    assert not expects_reward(lost)
    assert bonus_cents(50, 0, [lost]) == 50


def test_a_rejection_that_is_to_be_overridden_pays_the_reward_and_no_bonus_besides():
    restored = replace(DONE, platform_state="rejected")
    assert expects_reward(restored)
    assert bonus_cents(50, 0, [restored]) == 0


def test_nothing_is_paid_for_refused_work():
    refused = replace(DONE, refused=50)
    assert not expects_reward(refused)
    assert bonus_cents(0, 0, [refused]) == 0


class TestPaidByBonus:
    """A session was rejected, but its pay is not refused: a bonus has paid it, or the refusal was taken back."""

    @pytest.mark.parametrize("other", [DONE, replace(DONE, handed_in=False)], ids=["handed in", "at work"])
    def test_what_is_owed_for_other_work_pays_no_rejected_session(self, other: SessionFacts):
        assert without_paid_by_bonus({1: REJECTED, 2: other}, 50, 0, ()) == {
            1: replace(REJECTED, platform_state="returned"),
            2: other,
        }

    def test_what_is_owed_beside_other_work_pays_a_rejected_session(self):
        sessions = {1: REJECTED, 2: DONE}
        assert without_paid_by_bonus(sessions, 100, 0, ()) == sessions

    def test_pay_that_a_pending_bonus_carries_is_not_paid_besides(self):
        assert is_paid_by_bonus(REJECTED, 50, 50, ())

    def test_of_two_rejected_sessions_with_the_pay_of_one_owed_one_is_approved(self):
        left = without_paid_by_bonus({1: REJECTED, 2: REJECTED}, 50, 0, ())
        assert [settlement_of(one) for one in left.values()].count(Settlement.OVERRIDE) == 1

    def test_a_session_whose_override_is_on_its_way_stays(self):
        assert without_paid_by_bonus({1: REJECTED}, 0, 0, {1}) == {1: REJECTED}


BEGUN: dict[str, Any] = {
    "done": 0,
    "least": 2,
    "passed": False,
    "tested": False,
    "pays_tests": False,
    "nothing_open": False,
}

LACKS: dict[str, tuple[dict[str, Any], int | None]] = {
    "it has the assignments that it needs": ({"done": 2}, None),
    "or more": ({"done": 3}, None),
    "the missing ones are asked for while there is work": ({}, 2),
    "down to the last": ({"done": 1}, 1),
    "nothing more is open: what was done is enough": ({"done": 1, "nothing_open": True}, None),
    "a passed test is something": ({"tested": True, "passed": True, "nothing_open": True}, None),
    "not while there is work": ({"tested": True, "passed": True}, 2),
    "a failed test is nothing": ({"tested": True, "nothing_open": True}, 0),
    "unless the offer pays it": ({"tested": True, "pays_tests": True}, None),
    "a worker who did nothing gives the place back": ({"nothing_open": True}, 0),
}


def test_a_session_still_lacks():
    found = {case: still_missing(**BEGUN | changes) for case, (changes, _) in LACKS.items()}
    assert found == {case: missing for case, (_, missing) in LACKS.items()}


def test_as_many_as_there_is_work_up_to_the_most():
    assert wanted(work=3, most=20, budget_cents=None, cost_cents=50) == 3
    assert wanted(work=300, most=20, budget_cents=None, cost_cents=50) == 20


def test_no_more_than_the_money_pays_for():
    expected = {149: 2, 150: 3, 49: 0, 0: 0, -70: 0}
    assert {room: wanted(work=10, most=20, budget_cents=room, cost_cents=50) for room in expected} == expected


def test_offers_of_one_place_follow_the_work_place_by_place():
    assert change(target=5, offered=3, chunk=1) == Change(more=2)
    assert change(target=5, offered=5, chunk=1) == Change()
    assert change(target=2, offered=5, chunk=1) == Change(fewer=3)


def test_an_offer_of_many_places_is_renewed_when_half_of_them_are_gone():
    assert change(target=9, offered=5, chunk=9) == Change()
    assert change(target=9, offered=4, chunk=9) == Change(more=5)


def test_the_first_offer_is_made_whole():
    assert change(target=9, offered=0, chunk=100) == Change(more=9)
    assert change(target=1, offered=0, chunk=100) == Change(more=1)


def test_without_work_everything_ends():
    assert change(target=0, offered=9, chunk=9) == Change(fewer=9)


def test_places_come_in_offers_of_at_most_so_many():
    assert in_chunks(20, 9) == [9, 9, 2]
    assert in_chunks(18, 9) == [9, 9]
    assert in_chunks(0, 9) == []
