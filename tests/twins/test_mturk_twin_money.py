"""Rewards, fees and bonuses on the twin of Mechanical Turk."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.twins.mturk import MTurkTwin
from tests.twins.mturk.samples import (
    ANN,
    BOB,
    balance,
    done,
    offer,
    refused,
)


@pytest.fixture
def twin() -> Iterator[MTurkTwin]:
    with MTurkTwin(balance="10.00") as running:
        yield running


def test_a_hit_holds_back_its_reward_and_20_percent_until_it_is_paid(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=2, Reward="1.00")["HITId"]
    assert balance(client) == ("7.60", "2.40")
    client.approve_assignment(AssignmentId=done(twin, hit))
    assert balance(client) == ("7.60", "1.20")
    client.reject_assignment(AssignmentId=done(twin, hit, BOB), RequesterFeedback="Empty.")
    assert balance(client) == ("8.80", "0.00")


def test_ten_or_more_assignments_cost_40_percent(client: Any) -> None:
    offer(client, MaxAssignments=10, Reward="0.50")
    assert balance(client) == ("3.00", "7.00")


def test_the_fee_is_a_cent_at_least(client: Any) -> None:
    offer(client, MaxAssignments=1, Reward="0.01")
    assert balance(client) == ("9.98", "0.02")


def test_what_nobody_can_accept_any_more_is_free_again(client: Any, twin: MTurkTwin) -> None:
    offer(client, Reward="1.00")
    twin.move(hours=1)
    assert balance(client) == ("10.00", "0.00")


def test_without_money_nothing_is_offered_or_paid(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=8, Reward="1.00")["HITId"]
    assignment = done(twin, hit)
    with refused("InsufficientFunds"):
        offer(client, MaxAssignments=1, Reward="0.50")
    with refused("InsufficientFunds"):
        client.send_bonus(WorkerId=ANN, AssignmentId=assignment, BonusAmount="0.40", Reason="Thank you.")
    assert balance(client) == ("0.40", "9.60")


def test_a_bonus_is_paid_once_for_one_token(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=1)["HITId"]
    assignment = done(twin, hit)
    bonus = {"WorkerId": ANN, "AssignmentId": assignment, "BonusAmount": "1", "Reason": "Thank you."}
    client.send_bonus(**bonus, UniqueRequestToken="b-1")
    with refused("DuplicateRequest", "b-1"):
        client.send_bonus(**bonus, UniqueRequestToken="b-1")
    twin.move(hours=24)
    client.send_bonus(**bonus, UniqueRequestToken="b-1")
    paid = client.list_bonus_payments(HITId=hit)["BonusPayments"]
    assert [one["BonusAmount"] for one in paid] == ["1.00", "1.00"]
    assert balance(client) == ("7.48", "0.12")


def test_a_bonus_goes_only_to_who_submitted_this_assignment(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client)["HITId"]
    held, submitted = twin.accept(hit, ANN).id, done(twin, hit, BOB)
    for worker, assignment in ((ANN, held), (ANN, submitted)):
        with refused("InvalidAssignmentState"):
            client.send_bonus(WorkerId=worker, AssignmentId=assignment, BonusAmount="1", Reason="Thank you.")
    with refused("ParameterValidationError"):
        client.send_bonus(WorkerId=BOB, AssignmentId=submitted, BonusAmount="0", Reason="Thank you.")
    with refused("ParameterValidationError"):
        client.list_bonus_payments()
    assert client.list_bonus_payments(AssignmentId=submitted)["BonusPayments"] == []
