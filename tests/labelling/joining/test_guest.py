"""Try it as a worker: only where the service allows it."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from labelling.joining import join
from members.models import Role
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from simulation.build_demo import SETTINGS
from tests.support.members import maker, sign_in
from tests.support.projects import phrases, project_of
from workers.change_trust import BY_HAND, trust_of
from workers.models import Access, TrustStatus, Worker

pytestmark = pytest.mark.django_db
TRY = "/work/small/try/"


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True
    return project_of(phrases("people: a man"))


def test_it_is_off_by_default(client: Client, project: Project, settings: Any) -> None:
    settings.TRY_AS_WORKER = False
    assert client.post(TRY).status_code == 404
    assert "Try it as a worker" not in client.get("/").text
    assert not Worker.objects.exists()


def test_a_project_that_the_visitor_may_not_look_at_takes_no_guests(
    client: Client, project: Project, settings: Any
) -> None:
    settings.GALLERY_PUBLIC = False
    assert client.post(TRY).status_code == 404
    assert not Worker.objects.exists()
    sign_in(client, project, Role.VIEWER)
    assert client.post(TRY)["Location"] == "/work/small/"


@pytest.mark.both_engines
def test_a_press_makes_a_guest_who_may_do_all_six_tasks(client: Client, project: Project) -> None:
    assert f'action="{TRY}"' in client.get("/").text
    assert client.post(TRY)["Location"] == "/work/small/"
    worker = Worker.objects.get()
    assert worker.name.startswith("guest-")
    assert (worker.kind, worker.user is not None and worker.user.has_usable_password()) == ("person", False)
    assert Access.objects.filter(worker=worker, project_id=project.id).count() == 6
    assert client.get("/work/small/").status_code == 200
    assert "Change password" not in client.get("/work/").text


def test_the_button_is_on_the_list_of_several_projects_too(client: Client, project: Project) -> None:
    project_of(phrases("people: a man"), name="other")
    page = client.get("/").text
    assert [f"/work/{name}/try/" in page for name in ("small", "other", "none")] == [True, True, False]


def test_a_guest_starts_with_the_qualification_test(client: Client, project: Project) -> None:
    client.post(TRY)
    states = TrustStatus.objects.filter(worker=Worker.objects.get(), project=project).values_list("state", flat=True)
    assert list(states) == ["invited"] * 6


def test_a_guest_works_at_once_where_the_project_trusts_guests(client: Client, project: Project) -> None:
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, guests_trusted=True))
    client.post(TRY)
    worker = Worker.objects.get()
    assert {trust_of(worker.id, project.id, task.value) for task in PROTOCOL_TASKS} == {BY_HAND}


def test_the_demo_trusts_guests() -> None:
    assert SETTINGS.guests_trusted and not ProtocolSettings().guests_trusted


def test_it_takes_a_press_and_a_token_of_the_page(project: Project) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert (strict.get(TRY).status_code, strict.post(TRY).status_code) == (405, 403)


def test_who_is_signed_in_tries_it_as_themselves(client: Client, project: Project) -> None:
    user = maker("ada")
    client.force_login(user)
    for _ in range(2):
        assert client.post(TRY).status_code == 302
    assert list(Worker.objects.values_list("name", "user")) == [("ada", user.pk)]


def test_an_address_gets_only_so_many_guests(client: Client, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "GUESTS_PER_ADDRESS", 1)
    assert [Client().post(TRY).status_code for _ in range(2)] == [302, 429]
    assert Worker.objects.count() == 1
