"""Assignments on the twin of Mechanical Turk."""

from datetime import timedelta
from typing import Any

import pytest

from tests.twins.mturk import MTurkTwin, Refused
from tests.twins.mturk.samples import (
    ANN,
    BOB,
    CAY,
    FORM,
    done,
    offer,
    refused,
)


def status(client: Any, assignment: str) -> str:
    return str(client.get_assignment(AssignmentId=assignment)["Assignment"]["AssignmentStatus"])


def test_only_submitted_work_is_listed_in_pages(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=8)["HITId"]
    submitted = [done(twin, hit, f"A9WORKER{number}") for number in range(5)]
    twin.accept(hit, ANN)
    client.approve_assignment(AssignmentId=submitted[0])
    client.reject_assignment(AssignmentId=submitted[1], RequesterFeedback="Empty.")
    pages = client.get_paginator("list_assignments_for_hit")
    listed = [one for page in pages.paginate(HITId=hit, MaxResults=2) for one in page["Assignments"]]
    assert [one["AssignmentId"] for one in listed] == submitted
    reviewed = client.list_assignments_for_hit(HITId=hit, AssignmentStatuses=["Approved", "Rejected"])["Assignments"]
    assert [one["AssignmentId"] for one in reviewed] == submitted[:2]


def test_an_assignment_that_nobody_submitted_is_not_shown(client: Any, twin: MTurkTwin) -> None:
    held = twin.accept(offer(client)["HITId"], ANN).id
    with refused("InvalidAssignmentState", "Reviewable,Approved,Rejected"):
        client.get_assignment(AssignmentId=held)
    with refused("InvalidAssignmentState", "status of: null"):
        client.approve_assignment(AssignmentId=held)


def test_work_is_approved_once(client: Any, twin: MTurkTwin) -> None:
    assignment = done(twin, offer(client)["HITId"])
    client.approve_assignment(AssignmentId=assignment, RequesterFeedback="Thank you.")
    with refused("InvalidAssignmentState", "status of: Submitted"):
        client.approve_assignment(AssignmentId=assignment)
    with refused("InvalidAssignmentState"):
        client.reject_assignment(AssignmentId=assignment, RequesterFeedback="No.")
    now = client.get_assignment(AssignmentId=assignment)["Assignment"]
    assert (now["AssignmentStatus"], now["RequesterFeedback"]) == ("Approved", "Thank you.")


def test_a_rejection_needs_a_reason(client: Any, twin: MTurkTwin) -> None:
    assignment = done(twin, offer(client)["HITId"])
    with refused("ParameterValidationError"):
        client.reject_assignment(AssignmentId=assignment, RequesterFeedback=" ")
    assert status(client, assignment) == "Submitted"


def test_a_rejection_can_be_taken_back_for_30_days(client: Any, twin: MTurkTwin) -> None:
    first, second = (done(twin, offer(client)["HITId"]) for _ in range(2))
    for assignment in (first, second):
        client.reject_assignment(AssignmentId=assignment, RequesterFeedback="Empty.")
    with refused("InvalidAssignmentState"):
        client.approve_assignment(AssignmentId=first)
    twin.move(days=30)
    client.approve_assignment(AssignmentId=first, OverrideRejection=True)
    twin.move(seconds=1)
    with refused("InvalidAssignmentState"):
        client.approve_assignment(AssignmentId=second, OverrideRejection=True)
    assert [status(client, one) for one in (first, second)] == ["Approved", "Rejected"]


def test_work_that_nobody_reviews_is_approved_when_its_delay_is_over(client: Any, twin: MTurkTwin) -> None:
    assignment = done(twin, offer(client, AutoApprovalDelayInSeconds=3600)["HITId"])
    twin.move(seconds=3599)
    assert status(client, assignment) == "Submitted"
    twin.move(seconds=1)
    now = client.get_assignment(AssignmentId=assignment)["Assignment"]
    assert now["ApprovalTime"] == now["AutoApprovalTime"] == now["SubmitTime"] + timedelta(hours=1)


def test_what_is_returned_or_abandoned_is_offered_again_under_a_new_id(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=1)["HITId"]
    first = twin.accept(hit, ANN)
    with pytest.raises(Refused):
        twin.accept(hit, BOB)
    twin.give_back(first.id)
    second = twin.accept(hit, BOB)
    twin.move(minutes=10)
    third = twin.accept(hit, CAY)
    assert len({first.id, second.id, third.id}) == 3
    for gone in (first, second):
        with pytest.raises(Refused):
            twin.submit(gone.id, FORM)


def test_the_next_worker_may_get_the_id_of_what_was_returned() -> None:
    with MTurkTwin(reuse_assignment_ids=True) as twin:
        client = twin.client()
        hit = offer(client, MaxAssignments=1)["HITId"]
        first = twin.accept(hit, ANN).id
        twin.give_back(first)
        assert done(twin, hit, BOB) == first
        assert client.get_assignment(AssignmentId=first)["Assignment"]["WorkerId"] == BOB


def test_a_worker_does_a_hit_once(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client)["HITId"]
    assert twin.accept(hit, ANN) is twin.accept(hit, ANN)
    done(twin, hit)
    with pytest.raises(Refused, match="already"):
        twin.accept(hit, ANN)
