"""Two who create the same name at once: one does, the other is told and gets nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Project
from members.add_member import add_member
from members.models import Membership, Role
from tests.campaign.conftest import Later
from tests.support.members import maker
from tests.support.projects import phrases, project_of
from tests.support.surveys import foil

pytestmark = pytest.mark.django_db
NAME = {"title": "Birds", "name": "birds"}


def by_page(client: Client) -> Any:
    return client.post("/projects/new/", {**NAME, "language": "en"})


def by_copying(client: Client) -> Any:
    return client.post("/projects/mine/copy/", {**NAME, "images": "on"})


def by_survey(client: Client) -> Any:
    items = SimpleUploadedFile("items.jsonl", json.dumps(foil(0)).encode())
    terms = {"kind": "caption_check", "votes": "3", "known": "0", "seed": ""}
    return client.post("/projects/new/survey/", {**NAME, **terms, "items": items})


def by_api(client: Client) -> Any:
    return client.post("/api/v1/requester/projects/", NAME, "application/json")


@pytest.fixture
def rita(client: Client, later: Later) -> Client:
    user = maker("rita")
    add_member(user, project_of(phrases("people: a man"), name="mine"), Role.REQUESTER)
    client.force_login(user)
    return client


@pytest.fixture
def other_is_quicker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let somebody else take a name after it was found free and before the project is written."""

    def take(name: str) -> None:
        check = Project.clean_fields

        def taken_meanwhile(project: Project, *args: Any, **kwargs: Any) -> None:
            monkeypatch.undo()
            Project.objects.create(name=name, title="Somebody else's")
            check(project, *args, **kwargs)

        monkeypatch.setattr(Project, "clean_fields", taken_meanwhile)

    return take


@pytest.mark.parametrize(("make", "status"), [(by_page, 400), (by_copying, 400), (by_survey, 400), (by_api, 409)])
def test_who_creates_a_name_that_another_took_in_this_moment_is_told_and_is_no_requester_of_it(
    rita: Client, other_is_quicker: Callable[[str], None], make: Callable[[Client], Any], status: int
) -> None:
    other_is_quicker("birds")
    answer = make(rita)
    assert answer.status_code == status
    assert "choose another" in answer.text
    assert list(Membership.objects.values_list("user__username", "project__name")) == [("rita", "mine")]


def test_a_dry_run_whose_name_is_taken_in_this_moment_gets_the_next_one(
    rita: Client, other_is_quicker: Callable[[str], None]
) -> None:
    other_is_quicker("mine-dry-run")
    assert rita.post("/projects/mine/dry-run/")["Location"] == "/projects/mine-dry-run-2/data/"
    assert sorted(Membership.objects.values_list("project__name", flat=True)) == ["mine", "mine-dry-run-2"]
