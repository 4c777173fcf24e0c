"""The worker's site of the twin of Mechanical Turk."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from defusedxml.ElementTree import fromstring

from tests.twins.mturk import MTurkTwin
from tests.twins.mturk.samples import (
    ANN,
    BOB,
    offer,
    question,
    shown,
)
from tests.twins.mturk.worker_side import ANSWER


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


def test_a_posted_form_becomes_the_answer_without_the_reserved_fields(
    client: Any, twin: MTurkTwin, site: httpx.Client
) -> None:
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


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/mturk/externalSubmit", {}),
        ("//mturk/externalSubmit", {"receipt": "r-1"}),
        ("/mturk/externalSubmit", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "receipt": "r-1"}),
    ],
)
def test_a_form_that_the_service_would_not_take_is_refused(
    client: Any, twin: MTurkTwin, path: str, fields: dict[str, str]
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
