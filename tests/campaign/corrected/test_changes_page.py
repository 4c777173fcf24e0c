"""The page Changes and the workbench: changes are seen, confirmed one after the other, and taken back."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from members.models import Role
from pipeline.project.settings_versions import open_project
from pipeline.record.replay import replay
from tests.support.checked import checked_project
from tests.support.kept import Kept
from tests.support.members import sign_in

pytestmark = pytest.mark.django_db
MOST_STATEMENTS = 40


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
    return Kept(django_db_blocker, lambda: checked_project(0, 2))


@pytest.fixture
def checked(kept: Kept, db: None, client: Client) -> Project:
    kept.write()
    project = Project.objects.get()
    sign_in(client, project, Role.REVIEWER, "ada")
    return project


def page(client: Client, **query: Any) -> str:
    answer = client.get("/projects/checked/check/changes/", query)
    assert answer.status_code == 200
    return answer.text


def test_a_change_is_shown_before_and_after_with_who_found_it(client: Client, checked: Project) -> None:
    with CaptureQueriesContext(connection) as statements:
        shown = page(client)
    assert len(statements) <= MOST_STATEMENTS
    assert shown.count('<li class="change">') == 2
    for words in ("a man · the man", "box off its place", "0.29 (box off its place)", "by answers", "checked 1"):
        assert words in shown, words


def test_changes_are_chosen_by_kind_and_state_and_come_page_by_page(
    client: Client, checked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page(client, kind="box off its place").count('<li class="change">') == 2
    assert "No change fits" in page(client, kind="chains merged")
    assert "No change fits" in page(client, state="taken back by an expert")
    monkeypatch.setattr("campaign.corrected.changes_page.SHOWN", 1)
    first = page(client)
    assert "park 0" in first and "park 2" not in first and 'href="?after=0"' in first
    assert "park 2" in page(client, after="0")


def test_the_file_has_what_the_command_writes_and_a_program_gets_it_too(client: Client, checked: Project) -> None:
    for address in ("/projects/checked/check/changes.jsonl", "/api/v1/requester/projects/checked/changes/"):
        answer: Any = client.get(address)
        lines = b"".join(answer.streaming_content).decode().splitlines()
        assert [json.loads(line)["image"] for line in lines] == ["park 0", "park 2"]


def test_without_a_change_the_page_says_so(client: Client) -> None:
    project = checked_project(images=1)
    sign_in(client, project, Role.REVIEWER, "ada")
    assert "No label is changed yet: all are as they were." in page(client)


def test_a_project_that_checks_nothing_has_no_such_page(client: Client) -> None:
    project = open_project(name="plain")
    sign_in(client, project, Role.REVIEWER, "ada")
    for address in ("check/changes/", "check/changes.jsonl"):
        answer = client.get(f"/projects/plain/{address}")
        assert answer.status_code == 404 and "checks no data set" in answer.text
    assert client.get("/api/v1/requester/projects/plain/changes/").status_code == 404


def bench(client: Client, address: str) -> Any:
    """Return the data of the workbench at this address."""
    parts = urlsplit(address)
    return client.get(f"{parts.path}data/?{parts.query}").json()


def act(client: Client, address: str, **body: Any) -> Any:
    parts = urlsplit(address)
    seen = client.post(f"{parts.path}preview/", body, content_type="application/json").json()
    body |= {"sequence": seen["sequence"], "reason": "looked", "chain": 0}
    return client.post(f"{parts.path}act/?{parts.query}", body, content_type="application/json").json()


@pytest.mark.slow
def test_changes_are_confirmed_in_a_row_or_taken_back_and_each_act_is_undone(client: Client, checked: Project) -> None:
    start = page(client).split('class="button main" href="')[1].split('"')[0].replace("&amp;", "&")
    assert parse_qs(urlsplit(start).query) == {"chain": ["0"], "changes": ["yes"]}
    shown = bench(client, start)
    change, dog = shown["checks"]
    assert (change["chains"], change["kinds"], change["decision"]) == ([0], ["box off its place"], "by answers")
    assert (dog["chains"], dog["kinds"], dog["before"], dog["decision"]) == ([1], [], None, "")

    confirmed = act(client, start, action={"action": "confirm", "labels": change["labels"]})
    assert confirmed["checks"][0]["decision"] == "confirmed by an expert: ada"
    assert (confirmed["state"], confirmed["acts"][-1]["words"]) == ("merged", "confirmed labels")
    other = confirmed["next"]
    assert str(checked.images.get(position=2).pk) in other

    second = bench(client, other)["checks"][0]
    back = act(client, other, action={"action": "take back", "labels": second["before"], "was": second["labels"]})
    assert (back["checks"][0]["decision"], back["checks"][0]["before"]) == ("taken back by an expert: ada", None)
    assert (back["state"], back["next"]) == ("merged", None)
    again = act(client, other, undo=back["undo"])
    assert (again["checks"][0]["decision"], again["next"]) == ("by answers", None)
    assert act(client, start, undo=confirmed["undo"])["checks"][0]["decision"] == "by answers"
    assert not list(replay(checked))


def test_a_label_that_stands_is_confirmed_too(client: Client, checked: Project) -> None:
    address = f"/projects/checked/review/{checked.images.get(position=1).pk}/"
    labels = bench(client, address)["checks"][0]["labels"]
    confirmed = act(client, address, action={"action": "confirm", "labels": labels})
    assert [one["decision"] for one in confirmed["checks"]] == ["confirmed by an expert", ""]
