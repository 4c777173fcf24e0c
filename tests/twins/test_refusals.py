"""The twins refuse what the real services refuse; docs/how-to/prolific.md says which rules are guessed.

That they do the rest as documented, the tests of the platforms and of the annotator prove, which run on them.
The description of Prolific that every exchange with its twin is held against: what it finds, and its own errors.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml
from botocore.exceptions import ClientError

from tests.support.table import row
from tests.twins.chat import ChatTwin
from tests.twins.chat.twin import KEY
from tests.twins.mturk import MTurkTwin
from tests.twins.mturk.account import PREFIX
from tests.twins.mturk.api import OPERATIONS, SERVICE
from tests.twins.mturk.worker_side import SCHEMAS
from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.description import ERRORS, FILE, Description, Exchange, description

TYPE = {"Title": "Draw a box", "Description": "One box.", "Reward": "0.10", "AssignmentDurationInSeconds": 600}
OF_TYPE = (*TYPE, "AutoApprovalDelayInSeconds", "QualificationRequirements")
EXPERIENCED: dict[str, Any] = {
    "QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [500],
}  # fmt: skip
INVALID = "ParameterValidationError"
CODE = {"code": "LOOK1", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
STUDY = {
    "name": "Boxes",
    "description": "Draw boxes.",
    "external_study_url": "https://chainbox.example/join?pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&s={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "completion_codes": [CODE],
    "total_available_places": 2, "estimated_completion_time": 5, "reward": 100, "maximum_allowed_time": 20,
}  # fmt: skip
ASKED: dict[str, Any] = {
    "model": "twin",
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Good?"}]}],
}


@pytest.fixture
def client() -> Iterator[Any]:
    with MTurkTwin() as twin:
        yield twin.client()


def question(url: str = "https://boxes.example/work?task=box&amp;project=demo", height: object = 0) -> str:
    parts = f"<ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight>"
    return f'<ExternalQuestion xmlns="{SCHEMAS}2006-07-14/ExternalQuestion.xsd">{parts}</ExternalQuestion>'


def offer(client: Any, **changes: Any) -> None:
    """Make a HIT."""
    values = {"LifetimeInSeconds": 3600, "MaxAssignments": 3, "Question": question(), **TYPE, **changes}
    kind = client.create_hit_type(**{name: values.pop(name) for name in OF_TYPE if name in values})["HITTypeId"]
    client.create_hit_with_hit_type(HITTypeId=kind, **values)


def test_mechanical_turk_has_only_operations_of_the_real_service_and_refuses_others_by_name(client: Any) -> None:
    assert set(OPERATIONS) <= set(SERVICE["operations"])
    with pytest.raises(ClientError, match=r"UnknownOperation.*ListWorkerBlocks"):
        client.list_worker_blocks()


@row("get_hit", {"HITId": "lower-case"}, INVALID, "does not match")
@row("list_assignments_for_hit", {"HITId": "3X", "AssignmentStatuses": ["Done"]}, INVALID, "is none of")
@row("list_hits", {"MaxResults": 101}, INVALID, "more than 100")
@row("list_hits", {"NextToken": "Assignments-3"}, INVALID, "NextToken is not one of this list")
@row("list_bonus_payments", {}, INVALID, "Either HITId or AssignmentId")
@row("get_hit", {"HITId": "3X"}, "HITDoesNotExist", "Hit 3X does not exist.")
@row("get_assignment", {"AssignmentId": "3X"}, "AssignmentDoesNotExist", "does not exist")
@row(
    "get_qualification_score",
    {"QualificationTypeId": "3X", "WorkerId": "A1"},
    "QualificationTypeDoesNotExist",
    "not exist",
)
def test_a_call_is_held_against_the_model_and_what_exists(call: str, given: Any, code: str, words: str, client: Any):
    with pytest.raises(ClientError, match=words) as refused:
        getattr(client, call)(**given)
    assert refused.value.response["TurkErrorCode"] == PREFIX + code


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
@row({"QualificationRequirements": [EXPERIENCED] * 11}, INVALID)
@row({"QualificationRequirements": [EXPERIENCED | {"Comparator": "Exists"}]}, INVALID)
@row({"QualificationRequirements": [EXPERIENCED | {"LocaleValues": [{"Country": "US"}]}]}, INVALID)
@row({"QualificationRequirements": [EXPERIENCED | {"IntegerValues": []}]}, INVALID)
def test_a_hit_that_mechanical_turk_would_not_offer_is_refused(change: dict[str, Any], code: str, client: Any) -> None:
    with pytest.raises(ClientError) as refused:
        offer(client, **change)
    assert refused.value.response["TurkErrorCode"] == PREFIX + code
    assert client.list_hits()["HITs"] == []


@row({"reward": 0}, "reward")
@row({"external_study_url": "https://x.example"}, "external_study_url")
@row({"rewrad": 1}, "rewrad")
@row({"maximum_allowed_time": None}, "maximum_allowed_time")
@row({"filters": [{"filter_id": "participant_group_allowlist", "selected_values": ["unknown"]}]}, "unknown")
@row({"completion_codes": [CODE] * 2}, "completion_codes")
@row({"name": "", "description": ""}, "description")
def test_a_study_that_prolific_would_not_take_is_refused(wrong: Any, said: str) -> None:
    with ProlificTwin() as twin:
        headers = {"Authorization": f"Token {twin.token}"}
        answer = httpx.post(f"{twin.url}/studies/", json=STUDY | wrong, headers=headers)
    assert answer.status_code == 400 and said in str(answer.json()["error"]["detail"])


@row({"top": 1}, "Unrecognized request argument supplied: top")
@row({"temperature": "cold"}, "temperature")
@row({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]}, "image_url")
@row({"response_format": {"type": "json_schema"}}, "json_schema")
def test_a_request_that_a_model_server_does_not_know_is_refused(other: Any, said: str) -> None:
    with ChatTwin(lambda request: '{"answer": "good"}') as twin:
        headers = {"Authorization": f"Bearer {KEY}"}
        answer = httpx.post(f"{twin.url}/chat/completions", json=ASKED | other, headers=headers)
    assert answer.status_code == 400 and said in answer.json()["error"]["message"]
    assert twin.requests == []


GROUPS = "/participant-groups/"
OF_WORKSPACE = {"workspace_id": "w"}


@pytest.fixture(scope="module")
def described() -> Description:
    if (found := description()) is None:
        pytest.skip(f"no description of Prolific at {FILE}: set CHAINBOX_TEST_DATA")
    return found


@row("GET", GROUPS, OF_WORKSPACE, b"", {"results": [{"id": "g", "name": None}], "meta": {"count": 1}}, "")
@row("GET", GROUPS, {}, b"", {"results": []}, "filter is missing")
@row("GET", GROUPS, OF_WORKSPACE | {"size": "1"}, b"", {"results": []}, "size is not described")
@row("GET", GROUPS, OF_WORKSPACE, b"", {"results": [{"key": "g"}]}, "'key' was unexpected")
@row("GET", GROUPS, OF_WORKSPACE, b"{}", {"results": []}, "a body is not described")
@row("GET", "/studies/s/", {}, b"", {"id": "s", "places_taken": 1}, "'places_taken' was unexpected")
@row("GET", "/studies/s/", {}, b"", {"id": "s", "status": "OPEN"}, "status")
@row("GET", "/study/s/", {}, b"", {}, "not described")
@row("POST", "/studies/s/transition/", {}, b'{"action": "END"}', {}, "END")
@row("POST", "/studies/s/transition/", {}, b"", {}, "request: $: None is not of type 'object'")
def test_what_differs_from_the_description_is_found(
    method: str, path: str, query: dict[str, str], sent: bytes, reply: Any, why: str, described: Description
) -> None:
    found = described.mismatches(Exchange(method, path, query, sent, 200, reply))
    assert any(why in one for one in found) if why else found == []


def test_a_test_whose_call_is_not_as_described_fails(described: Description) -> None:
    with pytest.raises(AssertionError, match="colour is not described"), ProlificTwin() as twin:
        headers = {"Authorization": f"Token {twin.token}"}
        httpx.get(f"{twin.url}/studies/?colour=red", headers=headers).raise_for_status()


def test_the_errors_of_the_description_are_those_that_are_listed(described: Description) -> None:
    document = yaml.load(FILE.read_bytes(), yaml.CSafeLoader)
    assert sum("const" in one for one in mappings(document)) == 13
    rows = document["components"]["schemas"]["StudiesListResponse"]["properties"].keys()
    queries = {one["name"] for one in document["paths"]["/api/v1/studies/"]["get"]["parameters"]}
    subscribed = document["paths"]["/api/v1/hooks/subscriptions/"]["post"]["responses"]["201"]
    assert not {"_links", "meta"} & rows and not {"limit", "offset"} & queries
    states = [one["enum"] for one in mappings(document) if "AWAITING REVIEW" in one.get("enum", ())]
    assert {"PARTIALLY APPROVED" in enum for enum in states} == {False, True}
    assert "SubscriptionList" in str(subscribed) and len(ERRORS) == 7


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict):
        yield value
    for part in parts:
        yield from mappings(part)
