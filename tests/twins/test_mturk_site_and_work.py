"""Workers on the twin of Mechanical Turk: what lets them accept a HIT, and what becomes of their assignments.
The worker's site of the twin of Mechanical Turk.
"""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from defusedxml.ElementTree import fromstring

from tests.support.table import row
from tests.twins.mturk import MTurkTwin, Refused
from tests.twins.mturk.samples import ANN, BOB, CAY, EXPERIENCED, FORM, done, offer, question, refused, shown
from tests.twins.mturk.worker_side import ANSWER

EASY = {"Name": "Box test", "Description": "Passed.", "QualificationTypeStatus": "Active"}


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


def test_a_rejection_needs_a_reason(client: Any, twin: MTurkTwin) -> None:
    assignment = done(twin, offer(client)["HITId"])
    with refused("ParameterValidationError"):
        client.reject_assignment(AssignmentId=assignment, RequesterFeedback=" ")
    assert status(client, assignment) == "Submitted"


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


def test_experience_is_asked_when_a_worker_accepts(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, QualificationRequirements=EXPERIENCED)["HITId"]
    twin.worker(ANN, approved=500, rejected=26)
    twin.worker(BOB, approved=499)
    twin.worker(CAY, approved=950, rejected=51)
    assert twin.accept(hit, ANN).worker.id == ANN
    for worker in (BOB, CAY):
        with pytest.raises(Refused, match="qualifications"):
            twin.accept(hit, worker)


def test_reviews_count_towards_experience(client: Any, twin: MTurkTwin) -> None:
    twin.worker(ANN, approved=499)
    client.approve_assignment(AssignmentId=done(twin, offer(client)["HITId"]))
    assert twin.accept(offer(client, QualificationRequirements=EXPERIENCED)["HITId"], ANN)


def test_a_revoked_qualification_is_no_qualification(client: Any, twin: MTurkTwin) -> None:
    kind = client.create_qualification_type(**EASY)["QualificationType"]["QualificationTypeId"]
    pair = {"QualificationTypeId": kind, "WorkerId": ANN}
    with refused("QualificationDoesNotExist"):
        client.get_qualification_score(**pair)
    client.associate_qualification_with_worker(**pair, SendNotification=False)
    assert client.get_qualification_score(**pair)["Qualification"]["IntegerValue"] == 1
    client.disassociate_qualification_from_worker(**pair)
    with refused("InvalidQualificationState", "Granted"):
        client.get_qualification_score(**pair)
    needed = {"QualificationTypeId": kind, "Comparator": "Exists"}
    with pytest.raises(Refused):
        twin.accept(offer(client, QualificationRequirements=[needed])["HITId"], ANN)


def test_a_requirement_guards_what_it_says(client: Any, twin: MTurkTwin) -> None:
    guarded = [{**EXPERIENCED[0], "ActionsGuarded": "PreviewAndAccept"}]
    hit = offer(client, QualificationRequirements=guarded)["HITId"]
    assert [one.id for one in twin.discover(ANN)] == [hit]
    with pytest.raises(Refused, match="preview"):
        twin.preview(hit, ANN)
    assert twin.preview(offer(client, QualificationRequirements=EXPERIENCED)["HITId"], ANN)


@row([EXPERIENCED[0]] * 11)
@row([{**EXPERIENCED[0], "Comparator": "Exists"}])
@row([{**EXPERIENCED[0], "LocaleValues": [{"Country": "US"}]}])
@row([{"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThanOrEqualTo"}])
def test_requirements_that_make_no_sense_are_refused(needed: list[dict[str, Any]], client: Any) -> None:
    with refused("ParameterValidationError"):
        offer(client, QualificationRequirements=needed)


def test_a_name_is_for_one_qualification_type(client: Any) -> None:
    client.create_qualification_type(**EASY)
    with refused("QualificationTypeAlreadyExists", "must be unique"):
        client.create_qualification_type(**EASY)
    found = client.list_qualification_types(MustBeRequestable=False, MustBeOwnedByCaller=True, Query="PASSED")
    assert [one["Name"] for one in found["QualificationTypes"]] == ["Box test"]


def frame_address(page: httpx.Response) -> str:
    found = re.search(r'<iframe [^>]*src="([^"]*)"', page.text)
    assert found, page.text
    return unescape(found[1])


def test_the_frame_of_a_preview_names_no_worker(client: Any, site: httpx.Client) -> None:
    hit = offer(client)["HITId"]
    address = urlsplit(frame_address(site.get(f"/worker/{ANN}/hits/{hit}")))
    given = {"task": ["box"], "project": ["demo"]}
    assert address.netloc == "boxes.example"
    assert parse_qs(address.query) == {**given, "assignmentId": ["ASSIGNMENT_ID_NOT_AVAILABLE"], "hitId": [hit]}


def test_after_accepting_the_frame_says_who_works_on_what_and_where_to_submit(
    client: Any, twin: MTurkTwin, site: httpx.Client
) -> None:
    hit = offer(client, Question=question("https://boxes.example/work"))["HITId"]
    query = parse_qs(urlsplit(frame_address(site.post(f"/worker/{ANN}/hits/{hit}/accept"))).query)
    assert query["turkSubmitTo"] == [twin.url]
    assert query["workerId"] == [ANN]
    assert twin.held(query["assignmentId"][0], ANN).hit.id == hit


def test_a_posted_form_becomes_the_answer_without_the_reserved_fields(client: Any, twin: MTurkTwin, site: httpx.Client):
    held = twin.accept(offer(client)["HITId"], ANN).id
    form = {"assignmentId": held, "hitId": "3X", "workerId": ANN, "receipt": "r-1", "comment": "<à>", "empty": ""}
    assert site.post("/mturk/externalSubmit", data=form).status_code == 200
    root = fromstring(client.get_assignment(AssignmentId=held)["Assignment"]["Answer"])
    assert root.tag == f"{{{ANSWER}}}QuestionFormAnswers"
    assert [[part.text for part in answer] for answer in root] == [
        ["receipt", "r-1"],
        ["comment", "<à>"],
        ["empty", None],
    ]


@row("/mturk/externalSubmit", {})
@row("//mturk/externalSubmit", {"receipt": "r-1"})
@row("/mturk/externalSubmit", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "receipt": "r-1"})
def test_a_form_that_the_service_would_not_take_is_refused(
    path: str, fields: dict[str, str], client: Any, twin: MTurkTwin
) -> None:
    held = twin.accept(offer(client)["HITId"], ANN).id
    answer = httpx.post(twin.url + path, data={"assignmentId": held, **fields})
    assert answer.status_code == 403
    assert twin.held(held, ANN).answer == ""


def test_a_form_is_taken_once_and_by_post_only(client: Any, twin: MTurkTwin, site: httpx.Client) -> None:
    held = twin.accept(offer(client)["HITId"], ANN).id
    form = {"assignmentId": held, "receipt": "r-1"}
    assert site.get("/mturk/externalSubmit", params=form).status_code == 403
    assert [site.post("/mturk/externalSubmit", data=form).status_code for _ in range(2)] == [200, 403]


def test_a_worker_returns_a_hit_on_its_page(client: Any, twin: MTurkTwin, site: httpx.Client) -> None:
    hit = offer(client, MaxAssignments=1)["HITId"]
    held = twin.accept(hit, ANN).id
    assert site.post(f"/worker/{BOB}/assignments/{held}/return").status_code == 403
    page = site.post(f"/worker/{ANN}/assignments/{held}/return")
    assert f"/worker/{ANN}/hits/{hit}" in page.text, "the list of HITs, this one among them"
    assert shown(client, hit)["NumberOfAssignmentsAvailable"] == 1
