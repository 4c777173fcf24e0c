"""HITs on the twin of Mechanical Turk and what they cost, seen through the real boto3 client."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.table import case, row
from tests.twins.mturk import MTurkTwin
from tests.twins.mturk.samples import ANN, BOB, FORM, TYPE, balance, done, offer, question, refused, shown


def test_the_same_values_give_the_same_hit_type(client: Any) -> None:
    first = client.create_hit_type(**TYPE)["HITTypeId"]
    assert client.create_hit_type(**TYPE)["HITTypeId"] == first
    assert client.create_hit_type(**{**TYPE, "Reward": "0.11"})["HITTypeId"] != first
    assert offer(client)["HITTypeId"] == first


@row("<ExternalQuestion", "XMLParseError")
@row("<HTMLQuestion/>", "XMLParseError")
@row(question(height="tall"), "ParameterValidationError")
@row(question(url="http://boxes.example/"), "ParameterValidationError")
@row(question(url="http://127.0.0.1/"), "ParameterValidationError")
@row(question(url="ftp://localhost/"), "ParameterValidationError")
@row(question(url="https://boxes.example/?" + "x" * 65_535), "ParameterValidationError")
def test_a_question_that_the_service_would_not_frame_is_refused(text: str, code: str, client: Any) -> None:
    with refused(code):
        offer(client, Question=text)
    assert client.list_hits()["HITs"] == []


@row({"LifetimeInSeconds": 29})
@row({"AutoApprovalDelayInSeconds": 30 * 24 * 3600 + 1})
@row({"MaxAssignments": 0})
@row({"Title": "x" * 129})
@row({"Reward": "ten cents"})
@row({"UniqueRequestToken": "x" * 65})
def test_a_value_outside_its_range_is_refused(change: dict[str, Any], client: Any) -> None:
    with refused("ParameterValidationError"):
        offer(client, **change)


def test_one_token_from_many_sides_at_once_makes_one_hit(client: Any) -> None:
    def attempt(_: int) -> bool:
        try:
            return bool(offer(client, UniqueRequestToken="t-1"))
        except ClientError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(8))) == 1
    assert client.list_hits()["NumResults"] == 1


def test_a_token_is_forgotten_after_24_hours(client: Any, twin: MTurkTwin) -> None:
    first = offer(client, UniqueRequestToken="t-1")
    twin.move(hours=23, minutes=59)
    with refused("HitAlreadyExists"):
        offer(client, UniqueRequestToken="t-1")
    twin.move(minutes=1)
    assert offer(client, UniqueRequestToken="t-1")["HITId"] != first["HITId"]


def test_lists_come_in_pages_of_ten_unless_asked_otherwise(client: Any) -> None:
    made = [offer(client, RequesterAnnotation=str(number))["HITId"] for number in range(13)]
    first = client.list_hits()
    assert (first["NumResults"], len(first["HITs"])) == (10, 10)
    pages = client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 5})
    assert [[hit["HITId"] for hit in page["HITs"]] for page in pages] == [made[:5], made[5:10], made[10:]]
    with refused("ParameterValidationError"):
        client.list_hits(NextToken="Assignments-3")


def test_a_hit_goes_from_assignable_to_unassignable_to_reviewable(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=1)["HITId"]
    held = twin.accept(hit, ANN)
    now = shown(client, hit)
    assert (now["HITStatus"], now["NumberOfAssignmentsPending"]) == ("Unassignable", 1)
    twin.submit(held.id, FORM)
    now = shown(client, hit)
    assert (now["HITStatus"], now["NumberOfAssignmentsPending"]) == ("Reviewable", 0)
    assert now["NumberOfAssignmentsCompleted"] == 0, "only reviewed work is completed"
    client.approve_assignment(AssignmentId=held.id)
    assert shown(client, hit)["NumberOfAssignmentsCompleted"] == 1


def test_a_hit_is_over_when_its_lifetime_is(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client)["HITId"]
    twin.move(minutes=59)
    twin.accept(hit, ANN)
    twin.move(minutes=1)
    assert shown(client, hit)["HITStatus"] == "Unassignable"
    twin.move(minutes=9)
    assert shown(client, hit)["HITStatus"] == "Reviewable"


def test_an_expiration_in_the_past_ends_a_hit_once_and_one_in_the_future_opens_it_again(client: Any, twin: MTurkTwin):
    hit = offer(client)["HITId"]
    client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    assert shown(client, hit)["HITStatus"] == "Reviewable"
    with refused("DuplicateRequest", "has already been processed"):
        client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    client.update_expiration_for_hit(HITId=hit, ExpireAt=twin.now + timedelta(hours=1))
    assert shown(client, hit)["HITStatus"] == "Assignable"


def test_what_does_not_exist_is_said_to_not_exist(client: Any) -> None:
    with refused("HITDoesNotExist", "Hit 3X does not exist."):
        client.get_hit(HITId="3X")
    with refused("AssignmentDoesNotExist"):
        client.get_assignment(AssignmentId="3X")
    with refused("QualificationTypeDoesNotExist"):
        client.get_qualification_score(QualificationTypeId="3X", WorkerId=ANN)


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


@case("ten or more assignments cost 40 percent", 10, "0.50", ("3.00", "7.00"))
@case("the fee is a cent at least", 1, "0.01", ("9.98", "0.02"))
def test_a_fee_is_held_back(most: int, reward: str, left: tuple[str, str], client: Any) -> None:
    offer(client, MaxAssignments=most, Reward=reward)
    assert balance(client) == left


def test_what_nobody_can_accept_any_more_is_free_again(client: Any, twin: MTurkTwin) -> None:
    offer(client, Reward="1.00")
    twin.move(hours=1)
    assert balance(client) == ("10.00", "0.00")


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
