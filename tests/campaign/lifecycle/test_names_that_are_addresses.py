"""A project cannot have the name of a page: /work/language/ would never be the project's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Project
from members.add_member import add_member
from members.models import Role
from pipeline.project.names import addresses_in, is_address
from tests.support.members import maker
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of
from tests.support.surveys import foil, import_survey

SAID = "is an address of the service itself: choose another name."


def test_what_stands_first_or_beside_the_names_of_projects_is_an_address() -> None:
    paths = ["/", "/work/", "/work/{name}/", "/work/language/", "/work/{name}/{task}/", "/work/password/new/"]
    paths += ["/api/v1/{project}/files/", "/api/v1/schema/", "/pictures/{image_id}/", "/admin/workers/worker/"]
    assert addresses_in(paths) == {"work", "language", "password", "api", "schema", "pictures", "admin"}


def test_addresses_are_those_of_the_service_as_it_is() -> None:
    assert all(map(is_address, ("language", "sign-in", "my-data", "new", "admin", "projects", "work")))
    assert not any(map(is_address, ("small", "settings", "earned", "tasks", "assignments", "")))


def by_page(client: Client) -> Any:
    return client.post("/projects/new/", {"title": "T", "name": "sign-in", "language": "en"})


def by_title(client: Client) -> Any:
    return client.post("/projects/new/", {"title": "Sign in", "name": "", "language": "en"})


def by_copying(client: Client) -> Any:
    return client.post("/projects/mine/copy/", {"title": "T", "name": "language", "images": "on"})


def by_survey(client: Client) -> Any:
    items = SimpleUploadedFile("items.jsonl", json.dumps(foil(0)).encode())
    terms = {"kind": "caption_check", "votes": "3", "known": "0", "seed": "", "items": items}
    return client.post("/projects/new/survey/", {"title": "T", "name": "conversations", **terms})


def by_api(client: Client) -> Any:
    return client.post("/api/v1/requester/projects/", {"title": "T", "name": "messages"}, "application/json")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("make", "status"), [(by_page, 400), (by_title, 400), (by_copying, 400), (by_survey, 400), (by_api, 409)]
)
def test_no_page_and_no_call_makes_such_a_project(client: Client, make: Callable[[Client], Any], status: int) -> None:
    user = maker("rita")
    add_member(user, project_of(phrases("people: a man"), name="mine"), Role.REQUESTER)
    client.force_login(user)
    answer = make(client)
    assert answer.status_code == status and SAID in answer.text
    assert Project.objects.count() == 1


@pytest.mark.django_db
def test_no_command_makes_such_a_project(tmp_path: Path) -> None:
    (tmp_path / "dog0.jpg").write_bytes(plain_jpeg())
    (tmp_path / "captions.csv").write_text("image,caption\ndog0.jpg,[a man]\n")

    with pytest.raises(CommandError, match=SAID):
        call_command("import_dataset", "sign-in", str(tmp_path))

    with pytest.raises(CommandError, match=SAID):
        import_survey(tmp_path, [foil(0)], project="language")
    assert not Project.objects.exists()


@pytest.mark.django_db
def test_a_project_of_such_a_name_from_before_is_filled_all_the_same(tmp_path: Path) -> None:
    project_of(phrases("people: a man"), name="mine")
    Project.objects.update(name="language")
    (tmp_path / "one.jpg").write_bytes(plain_jpeg())
    (tmp_path / "captions.csv").write_text("image,caption\none.jpg,[a man]\n")
    call_command("import_dataset", "language", str(tmp_path))
    assert Project.objects.get().images.count() == 2
