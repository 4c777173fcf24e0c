"""The twin of Mechanical Turk, seen through the real boto3 client: what it refuses, charges and tells, and its site.

That it does the rest as documented, the tests of the platform prove, which run on it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from botocore.exceptions import ClientError
from defusedxml.ElementTree import fromstring

from tests.support.table import case, row
from tests.twins.mturk import MTurkTwin, Queue
from tests.twins.mturk.account import PREFIX
from tests.twins.mturk.api import OPERATIONS, SERVICE
from tests.twins.mturk.worker_side import ANSWER, SCHEMAS

ANN, BOB, CAY = "A1ANN", "A2BOB", "A3CAY"
TYPE = {"Title": "Draw a box", "Description": "One box.", "Reward": "0.10", "AssignmentDurationInSeconds": 600}
APPROVED: dict[str, Any] = {"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThanOrEqualTo"}
EXPERIENCED = [
    APPROVED | {"IntegerValues": [500]},
    APPROVED | {"QualificationTypeId": "000000000000000000L0", "IntegerValues": [95]},
]
OF_TYPE = (*TYPE, "AutoApprovalDelayInSeconds", "QualificationRequirements")
FORM = [("receipt", "r-1")]
INVALID = "ParameterValidationError"


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def twin(queue: Queue) -> Iterator[MTurkTwin]:
    with MTurkTwin(deliver=queue.put, balance="10.00") as running:
        yield running


@pytest.fixture
def client(twin: MTurkTwin) -> Any:
    return twin.client()


@pytest.fixture
def site(twin: MTurkTwin) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=twin.url, follow_redirects=True) as browser:
        yield browser


def question(url: str = "https://boxes.example/work?task=box&amp;project=demo", height: object = 0) -> str:
    parts = f"<ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight>"
    return f'<ExternalQuestion xmlns="{SCHEMAS}2006-07-14/ExternalQuestion.xsd">{parts}</ExternalQuestion>'


def offer(client: Any, **changes: Any) -> str:
    """Return the id of a new HIT."""
    values = {"LifetimeInSeconds": 3600, "MaxAssignments": 3, "Question": question(), **TYPE, **changes}
    kind = client.create_hit_type(**{name: values.pop(name) for name in OF_TYPE if name in values})["HITTypeId"]
    return str(client.create_hit_with_hit_type(HITTypeId=kind, **values)["HIT"]["HITId"])


def shown(client: Any, hit: str) -> Any:
    return client.get_hit(HITId=hit)["HIT"]


@contextmanager
def refused(code: str, words: str = "") -> Iterator[None]:
    """The block ends in a RequestError with this TurkErrorCode, and these words in its message."""
    with pytest.raises(ClientError) as caught:
        yield
    response = caught.value.response
    assert (response["Error"]["Code"], response["TurkErrorCode"]) == ("RequestError", PREFIX + code)
    assert words in response["Error"]["Message"]


def done(twin: MTurkTwin, hit: str, worker: str = ANN) -> str:
    """Return the id of an assignment that the worker has submitted."""
    return twin.submit(twin.accept(hit, worker).id, FORM).id


def balance(client: Any) -> tuple[str, str]:
    """Return the money that is available, and the money on hold."""
    account = client.get_account_balance()
    return account["AvailableBalance"], account["OnHoldBalance"]


def test_it_has_only_operations_of_the_real_service_and_refuses_others_by_name(client: Any, twin: MTurkTwin) -> None:
    assert set(OPERATIONS) <= set(SERVICE["operations"])
    with pytest.raises(ClientError, match=r"UnknownOperation.*ListWorkerBlocks"):
        client.list_worker_blocks()
    with pytest.raises(ValueError, match="GetHits"):
        twin.fail("GetHits")


@row("get_hit", {"HITId": "lower-case"}, INVALID, "does not match")
@row("list_assignments_for_hit", {"HITId": "3X", "AssignmentStatuses": ["Done"]}, INVALID, "is none of")
@row("list_hits", {"MaxResults": 101}, INVALID, "more than 100")
@row("list_hits", {"NextToken": "Assignments-3"}, INVALID, "")
@row("list_bonus_payments", {}, INVALID, "")
@row("get_hit", {"HITId": "3X"}, "HITDoesNotExist", "Hit 3X does not exist.")
@row("get_assignment", {"AssignmentId": "3X"}, "AssignmentDoesNotExist", "")
@row("get_qualification_score", {"QualificationTypeId": "3X", "WorkerId": ANN}, "QualificationTypeDoesNotExist", "")
def test_a_call_is_held_against_the_model_and_what_exists(call: str, given: Any, code: str, words: str, client: Any):
    with refused(code, words):
        getattr(client, call)(**given)


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


@row({"Question": "<ExternalQuestion"}, "XMLParseError")
@row({"Question": "<HTMLQuestion/>"}, "XMLParseError")
@row({"Question": question(height="tall")}, INVALID)
@row({"Question": question(url="http://boxes.example/")}, INVALID)
@row({"Question": question(url="http://127.0.0.1/")}, INVALID)
@row({"Question": question(url="ftp://localhost/")}, INVALID)
@row({"Question": question(url="https://boxes.example/?" + "x" * 65_535)}, INVALID)
@row({"LifetimeInSeconds": 29}, INVALID)
@row({"AutoApprovalDelayInSeconds": 30 * 24 * 3600 + 1}, INVALID)
@row({"MaxAssignments": 0}, INVALID)
@row({"Title": "x" * 129}, INVALID)
@row({"Reward": "ten cents"}, INVALID)
@row({"UniqueRequestToken": "x" * 65}, INVALID)
@row({"QualificationRequirements": [EXPERIENCED[0]] * 11}, INVALID)
@row({"QualificationRequirements": [EXPERIENCED[0] | {"Comparator": "Exists"}]}, INVALID)
@row(
    {"QualificationRequirements": [EXPERIENCED[0] | {"LocaleValues": [{"Country": "US"}]}]}, "ParameterValidationError"
)
@row({"QualificationRequirements": [APPROVED]}, INVALID)
def test_a_hit_that_the_service_would_not_offer_is_refused(change: dict[str, Any], code: str, client: Any) -> None:
    with refused(code):
        offer(client, **change)
    assert client.list_hits()["HITs"] == []


def test_only_reviewed_work_is_completed_and_only_submitted_work_is_reviewed(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, MaxAssignments=1)
    held = twin.accept(hit, ANN).id
    now = shown(client, hit)
    assert (now["HITStatus"], now["NumberOfAssignmentsPending"]) == ("Unassignable", 1)
    with refused("InvalidAssignmentState", "Reviewable,Approved,Rejected"):
        client.get_assignment(AssignmentId=held)
    with refused("InvalidAssignmentState", "status of: null"):
        client.approve_assignment(AssignmentId=held)
    twin.submit(held, FORM)
    with refused(INVALID):
        client.reject_assignment(AssignmentId=held, RequesterFeedback=" ")
    now = shown(client, hit)
    assert (now["HITStatus"], now["NumberOfAssignmentsCompleted"]) == ("Reviewable", 0)
    client.approve_assignment(AssignmentId=held)
    assert shown(client, hit)["NumberOfAssignmentsCompleted"] == 1


@case("ten or more assignments cost 40 percent", 10, "0.50", ("3.00", "7.00"))
@case("the fee is a cent at least", 1, "0.01", ("9.98", "0.02"))
def test_a_fee_is_held_back_until_nobody_can_accept(
    most: int, reward: str, left: tuple[str, str], client: Any, twin: MTurkTwin
) -> None:
    offer(client, MaxAssignments=most, Reward=reward)
    assert balance(client) == left
    twin.move(hours=1)
    assert balance(client) == ("10.00", "0.00")


def test_a_bonus_goes_only_to_who_submitted_this_assignment(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client)
    held, submitted = twin.accept(hit, ANN).id, done(twin, hit, BOB)
    for worker, assignment in ((ANN, held), (ANN, submitted)):
        with refused("InvalidAssignmentState"):
            client.send_bonus(WorkerId=worker, AssignmentId=assignment, BonusAmount="1", Reason="Thank you.")
    with refused(INVALID):
        client.send_bonus(WorkerId=BOB, AssignmentId=submitted, BonusAmount="0", Reason="Thank you.")
    assert client.list_bonus_payments(AssignmentId=submitted)["BonusPayments"] == []


def test_events_come_in_the_documented_shape(client: Any, twin: MTurkTwin, queue: Queue) -> None:
    hit = offer(client, MaxAssignments=1)
    kind = shown(client, hit)["HITTypeId"]
    with refused(INVALID):
        client.update_notification_settings(HITTypeId=kind, Active=True)
    events = ["AssignmentSubmitted", "HITReviewable"]
    notification = {"Destination": "queue", "Transport": "SQS", "Version": "2014-08-15", "EventTypes": events}
    client.update_notification_settings(HITTypeId=kind, Notification=notification, Active=True)
    assignment = done(twin, hit)
    about = {"EventTimestamp": twin.now.strftime("%Y-%m-%dT%H:%M:%SZ"), "HITTypeId": kind, "HITId": hit}
    submitted = {"EventType": "AssignmentSubmitted", **about, "AssignmentId": assignment}
    assert queue.events() == [submitted, {"EventType": "HITReviewable", **about}]


def frame_address(page: httpx.Response) -> Any:
    found = re.search(r'<iframe [^>]*src="([^"]*)"', page.text)
    assert found, page.text
    return urlsplit(unescape(found[1]))


def test_the_frame_of_a_preview_names_no_worker_and_the_accepted_one_where_to_submit(
    client: Any, twin: MTurkTwin, site: httpx.Client
) -> None:
    hit = offer(client)
    address = frame_address(site.get(f"/worker/{ANN}/hits/{hit}"))
    given = {"task": ["box"], "project": ["demo"]}
    assert address.netloc == "boxes.example"
    assert parse_qs(address.query) == {**given, "assignmentId": ["ASSIGNMENT_ID_NOT_AVAILABLE"], "hitId": [hit]}
    query = parse_qs(frame_address(site.post(f"/worker/{ANN}/hits/{hit}/accept")).query)
    assert (query["turkSubmitTo"], query["workerId"]) == ([twin.url], [ANN])
    assert twin.held(query["assignmentId"][0], ANN).hit.id == hit


def test_a_form_is_taken_once_by_post_and_becomes_the_answer_without_the_reserved_fields(
    client: Any, twin: MTurkTwin, site: httpx.Client
) -> None:
    held = twin.accept(offer(client), ANN).id
    form = {"assignmentId": held, "hitId": "3X", "workerId": ANN, "receipt": "r-1", "comment": "<à>", "empty": ""}
    assert site.get("/mturk/externalSubmit", params=form).status_code == 403
    assert [site.post("/mturk/externalSubmit", data=form).status_code for _ in range(2)] == [200, 403]
    root = fromstring(client.get_assignment(AssignmentId=held)["Assignment"]["Answer"])
    assert root.tag == f"{{{ANSWER}}}QuestionFormAnswers"
    fields = [["receipt", "r-1"], ["comment", "<à>"], ["empty", None]]
    assert [[part.text for part in answer] for answer in root] == fields


@row("/mturk/externalSubmit", {})
@row("//mturk/externalSubmit", {"receipt": "r-1"})
@row("/mturk/externalSubmit", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "receipt": "r-1"})
def test_a_form_that_the_service_would_not_take_is_refused(path: str, form: Any, client: Any, twin: MTurkTwin) -> None:
    held = twin.accept(offer(client), ANN).id
    assert httpx.post(twin.url + path, data={"assignmentId": held, **form}).status_code == 403
    assert twin.held(held, ANN).answer == ""


def test_a_worker_returns_a_hit_on_its_page(client: Any, twin: MTurkTwin, site: httpx.Client) -> None:
    hit = offer(client, MaxAssignments=1)
    held = twin.accept(hit, ANN).id
    assert site.post(f"/worker/{BOB}/assignments/{held}/return").status_code == 403
    page = site.post(f"/worker/{ANN}/assignments/{held}/return")
    assert f"/worker/{ANN}/hits/{hit}" in page.text, "the list of HITs, this one among them"
    assert shown(client, hit)["NumberOfAssignmentsAvailable"] == 1
