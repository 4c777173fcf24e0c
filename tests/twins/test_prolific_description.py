"""The description of Prolific that every exchange with its twin is held against: what it finds, and its own errors."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.support.table import row
from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.description import ERRORS, FILE, Description, Exchange, description

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
    assert "SubscriptionList" in str(subscribed) and len(ERRORS) == 6


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict):
        yield value
    for part in parts:
        yield from mappings(part)
