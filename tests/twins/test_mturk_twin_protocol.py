"""The twin of Mechanical Turk speaks the real protocol, fails when asked to, and tells of events."""

from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ParamValidationError

from tests.support.table import row
from tests.twins.mturk import MTurkTwin, Queue
from tests.twins.mturk.api import OPERATIONS, SERVICE
from tests.twins.mturk.samples import BOB, TYPE, done, offer, refused, subscribe, told

ONE_TRY = {"retries": {"total_max_attempts": 1}}


def test_it_has_only_operations_of_the_real_service() -> None:
    assert set(OPERATIONS) <= set(SERVICE["operations"])


def test_an_operation_that_it_has_not_is_refused_by_name(client: Any) -> None:
    with pytest.raises(ClientError, match=r"UnknownOperation.*ListWorkerBlocks"):
        client.list_worker_blocks()


def test_what_the_client_does_not_check_is_held_against_the_model(client: Any) -> None:
    with pytest.raises(ParamValidationError):
        offer(client, Reward=0.1)
    with refused("ParameterValidationError", "does not match"):
        client.get_hit(HITId="lower-case")
    with refused("ParameterValidationError", "is none of"):
        client.list_assignments_for_hit(HITId="3X", AssignmentStatuses=["Done"])
    with refused("ParameterValidationError", "more than 100"):
        client.list_hits(MaxResults=101)


@row({"Authorization": ""}, "MissingAuthenticationTokenException")
@row({"Content-Type": "application/json"}, "SerializationException")
def test_a_request_that_is_not_aws_json_or_not_signed_is_refused(headers: dict[str, str], error: str, client: Any):
    def spoil(request: Any, **_: Any) -> None:
        for name, value in headers.items():
            del request.headers[name]
            request.headers[name] = value

    client.meta.events.register("before-send.mturk.GetAccountBalance", spoil)
    with pytest.raises(ClientError, match=error):
        client.get_account_balance()


def test_a_fault_comes_as_often_as_asked_and_on_any_operation(twin: MTurkTwin) -> None:
    client = twin.client(**ONE_TRY)
    twin.fail("*", kind="cut", times=2)
    for call in (client.get_account_balance, client.list_hits):
        with pytest.raises(ConnectionClosedError):
            call()
    assert client.list_hits()["NumResults"] == 0
    with pytest.raises(ValueError, match="GetHits"):
        twin.fail("GetHits")


def test_events_come_in_the_documented_shape(client: Any, twin: MTurkTwin, queue: Queue) -> None:
    kind = client.create_hit_type(**TYPE)["HITTypeId"]
    subscribe(client, kind, "AssignmentSubmitted", "HITReviewable")
    hit = offer(client, MaxAssignments=1)["HITId"]
    assignment = done(twin, hit)
    stamp = twin.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {"EventTimestamp": stamp, "HITTypeId": kind, "HITId": hit}
    submitted = {"EventType": "AssignmentSubmitted", **about, "AssignmentId": assignment}
    assert queue.events() == [submitted, {"EventType": "HITReviewable", **about}]


def test_each_event_comes_at_its_own_time_however_far_the_clock_moves(client: Any, twin: MTurkTwin, queue: Queue):
    hit = offer(client, MaxAssignments=2, AutoApprovalDelayInSeconds=60)
    subscribe(client, hit["HITTypeId"], *[f"Assignment{what}" for what in ("Abandoned", "Approved")], "HITExpired")
    done(twin, hit["HITId"])
    twin.accept(hit["HITId"], BOB)
    start = twin.now
    twin.move(days=2)
    expected = [("Approved", 60), ("Abandoned", 600), ("HITExpired", 3600)]
    times = [f"{start + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}" for _, seconds in expected]
    assert [event["EventTimestamp"] for event in queue.events()] == times
    assert told(queue) == ["AssignmentApproved", "AssignmentAbandoned", "HITExpired"]


def test_the_end_of_a_hit_is_told_once_and_again_after_it_was_opened_again(client: Any, twin: MTurkTwin, queue: Queue):
    hit = offer(client)
    subscribe(client, hit["HITTypeId"], "HITExpired", "HITReviewable", "HITExtended")
    for past in (0, 1):
        client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=past)
    assert told(queue) == ["HITExpired", "HITReviewable"]
    client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=twin.now + timedelta(hours=1))
    twin.move(hours=1)
    assert told(queue)[2:] == ["HITExtended", "HITExpired", "HITReviewable"]


def test_notifications_can_be_switched_off_and_on(client: Any, twin: MTurkTwin, queue: Queue) -> None:
    kind = client.create_hit_type(**TYPE)["HITTypeId"]
    with refused("ParameterValidationError"):
        client.update_notification_settings(HITTypeId=kind, Active=True)
    subscribe(client, kind, "HITCreated")
    client.update_notification_settings(HITTypeId=kind, Active=False)
    offer(client)
    assert told(queue) == []
    client.update_notification_settings(HITTypeId=kind, Active=True)
    offer(client)
    assert told(queue) == ["HITCreated"]
