"""Decisions on sessions, bonuses, the end of a session, and the number of places."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from platforms.rules import settling
from platforms.rules.places import PlacesChange, change, in_chunks, places_to_offer
from platforms.rules.settling import (
    SessionFacts,
    Settlement,
    bonus_cents,
    settlement_of,
    still_missing,
    without_paid_by_bonus,
)
from tests.support.table import case

DONE = SessionFacts(handed_in=True, platform_state="submitted", reward=50, earned=50, refused=0)
REJECTED = replace(DONE, platform_state="rejected")


@case("handed in on both sides", {}, Settlement.APPROVE)
@case("it has not waited yet", {"due": False}, Settlement.NONE)
@case("on the platform alone: up to the requester", {"handed_in": False, "earned": 0}, Settlement.NONE)
@case("on our page alone: waits for the platform", {"platform_state": ""}, Settlement.NONE)
@case("all pay refused", {"refused": 50}, Settlement.REJECT)
@case("a part refused", {"refused": 20}, Settlement.APPROVE)
@case("rejected", {"platform_state": "rejected", "refused": 50}, Settlement.NONE)
@case("rejected, and the refusal taken back", {"platform_state": "rejected"}, Settlement.OVERRIDE)
@case("approved", {"platform_state": "approved"}, Settlement.NONE)
@case("returned", {"platform_state": "returned"}, Settlement.NONE)
def test_a_session_is_settled(changes: dict[str, Any], decision: Settlement):
    assert settlement_of(replace(DONE, **changes)) is decision


UNKNOWN, APPROVED, RETURNED = ({"platform_state": state} for state in ("", "approved", "returned"))


@case(
    "a reward is expected until the platform pays or rejects",
    settling.expects_reward,
    [{}, {"platform_state": ""}],
    True,
)
@case("and not afterwards", settling.expects_reward, [APPROVED, {"refused": 50}], False)
@case("pay is on hold while the worker is at work", settling.is_on_hold, [{"handed_in": False}], True)
@case("or the requester looks", settling.is_on_hold, [{"due": False}], True)
@case("and not afterwards", settling.is_on_hold, [{}, {"handed_in": False, **RETURNED}], False)
def test_pay_of_a_session(is_so: Callable[[SessionFacts], bool], states: list[dict[str, Any]], expected):
    assert [is_so(replace(DONE, **changes)) for changes in states] == [expected] * len(states)


def test_a_session_that_only_took_the_test_is_paid_its_reward_and_no_bonus():
    facts = replace(DONE, earned=0)
    assert settlement_of(facts) is Settlement.APPROVE
    assert facts.extra == 50
    assert bonus_cents(0, 0, [facts]) == 0


HELD = replace(DONE, handed_in=False, earned=20)
LESS, MORE = replace(DONE, reward=10, earned=5), replace(DONE, reward=10, earned=20)


@case("what was earned beyond the reward", 80, 0, [replace(DONE, earned=80)], 30)
@case("a pending bonus is not planned again", 80, 30, [replace(DONE, earned=80)], 0)
@case("a session that earned less than its reward cuts no other pay", 25, 0, [LESS, MORE], 10)
@case("pay on hold waits", 20, 0, [HELD], 0)
@case("and the rest does not", 50, 0, [HELD], 30)
@case("a session may still be listed", 50, 0, [replace(DONE, platform_state="")], 0)
def test_a_bonus_pays(owed: int, pending: int, sessions: list[SessionFacts], bonus: int):
    assert bonus_cents(owed, pending, sessions) == bonus


@case("a session that never reached the platform pays a bonus", {"platform_state": "", "awaited": False}, False, 50, 50)
@case("a rejection that is to be overridden pays the reward and none", {"platform_state": "rejected"}, True, 50, 0)
@case("nothing is paid for refused work", {"refused": 50}, False, 0, 0)
def test_a_reward_or_a_bonus(changes: dict[str, Any], rewarded, owed: int, bonus: int):
    session = replace(DONE, **changes)
    assert (settling.expects_reward(session), bonus_cents(owed, 0, [session])) == (rewarded, bonus)


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
        assert settling.is_paid_by_bonus(REJECTED, 50, 50, ())

    def test_of_two_rejected_sessions_with_the_pay_of_one_owed_one_is_approved(self):
        left = without_paid_by_bonus({1: REJECTED, 2: REJECTED}, 50, 0, ())
        assert [settlement_of(one) for one in left.values()].count(Settlement.OVERRIDE) == 1

    def test_a_session_whose_override_is_on_its_way_stays(self):
        assert without_paid_by_bonus({1: REJECTED}, 0, 0, {1}) == {1: REJECTED}


UNTESTED = dict.fromkeys(("passed", "tested", "pays_tests", "nothing_open"), False)
BEGUN: dict[str, Any] = {"done": 0, "least": 2, **UNTESTED}


@case("it has the assignments that it needs", {"done": 2}, None)
@case("or more", {"done": 3}, None)
@case("the missing ones are asked for while there is work", {}, 2)
@case("down to the last", {"done": 1}, 1)
@case("nothing more is open: what was done is enough", {"done": 1, "nothing_open": True}, None)
@case("a passed test is something", {"tested": True, "passed": True, "nothing_open": True}, None)
@case("not while there is work", {"tested": True, "passed": True}, 2)
@case("a failed test is nothing", {"tested": True, "nothing_open": True}, 0)
@case("unless the offer pays it", {"tested": True, "pays_tests": True}, None)
@case("a worker who did nothing gives the place back", {"nothing_open": True}, 0)
def test_a_session_still_lacks(changes: dict[str, Any], missing: int | None):
    assert still_missing(**BEGUN | changes) == missing


def test_as_many_as_there_is_work_up_to_the_most_and_no_more_than_the_money_pays_for():
    assert [places_to_offer(work=work, most=20, budget_cents=None, cost_cents=50) for work in (3, 300)] == [3, 20]
    expected = {149: 2, 150: 3, 49: 0, 0: 0, -70: 0}
    assert {room: places_to_offer(work=10, most=20, budget_cents=room, cost_cents=50) for room in expected} == expected


@case("offers of one place follow the work place by place", 5, 3, 1, PlacesChange(more=2))
@case("or stay", 5, 5, 1, PlacesChange())
@case("or end", 2, 5, 1, PlacesChange(fewer=3))
@case("an offer of many places is not renewed before half of them are gone", 9, 5, 9, PlacesChange())
@case("but then", 9, 4, 9, PlacesChange(more=5))
@case("the first offer is made whole", 9, 0, 100, PlacesChange(more=9))
@case("however small", 1, 0, 100, PlacesChange(more=1))
@case("without work everything ends", 0, 9, 9, PlacesChange(fewer=9))
def test_offers_change(target: int, offered: int, chunk: int, expected: PlacesChange):
    assert change(target=target, offered=offered, chunk=chunk) == expected


def test_places_come_in_offers_of_at_most_so_many():
    assert [in_chunks(places, 9) for places in (20, 18, 0)] == [[9, 9, 2], [9, 9], []]
