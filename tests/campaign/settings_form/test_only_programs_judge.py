"""Settings of programs that judge: only programs can, and the page warns before they finish chains alone."""

from dataclasses import replace
from html import unescape

import pytest
from django.test import Client

from annotation.models import Project
from members.models import Role
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.support.html_form import fields_of
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db
PAGE, API = "/projects/small/settings/", "/api/v1/requester/projects/small/settings/"


@pytest.fixture
def project(client: Client) -> Project:
    made = project_of(phrases("people: a man"))
    sign_in(client, made, Role.REQUESTER, "ada")
    return made


def patched(client: Client, *jurors: int) -> tuple[int, str]:
    sent = {"values": {"jurors": jurors}, "reason": "they judge", "based_on": 1}
    answer = client.patch(API, sent, content_type="application/json")
    return answer.status_code, answer.text


def test_the_api_takes_programs_and_names_the_number_of_anybody_else(project: Project, client: Client) -> None:
    person = worker(project, "petra").pk
    program = worker(project, "qwen", kind=Worker.Kind.PROGRAM).pk
    status, text = patched(client, program, person)
    assert status == 400 and f"jurors: {person} is not the number of a program" in text
    assert patched(client, 10**18 - 1)[0] == 400
    assert current_settings(project.pk)[1].jurors == ()
    assert patched(client, program)[0] == 200
    assert current_settings(project.pk)[1].jurors == (program,)


def test_the_page_saves_no_earlier_version_that_names_anybody_else(project: Project, client: Client) -> None:
    person = worker(project, "petra").pk
    settings = ProtocolSettings()
    change_settings(project_id=project.pk, settings=replace(settings, jurors=(person,)))
    change_settings(project_id=project.pk, settings=settings)
    html = client.post(PAGE, {"action": "again", "number": "2"}).text
    number = next(n for n, text in enumerate(html.split("<form")[1:]) if 'name="packed"' in text)
    said = client.post(PAGE, {**fields_of(html, number), "action": "save", "reason": "as before"})
    assert f"jurors: {person} is not the number of a program" in unescape(said.text)
    assert current_settings(project.pk) == (3, settings)


def test_the_page_warns_before_programs_finish_chains_alone(project: Project, client: Client) -> None:
    first = client.get(PAGE).text
    assert "Warning: if on, nobody may ever have looked at a finished chain" in unescape(first)
    number = next(n for n, text in enumerate(first.split("<form")[1:]) if 'name="based_on"' in text)
    sent = {**fields_of(first, number), "action": "check", "programs_alone": "on"}
    looked = unescape(client.post(PAGE, sent).text)
    assert "Programs finish chains whose boxes nobody has looked at, once 200 chains show" in looked
    settings = replace(current_settings(project.pk)[1], programs_alone=True)
    change_settings(project_id=project.pk, settings=settings)
    sent = {name: value for name, value in sent.items() if name != "programs_alone"}
    looked = unescape(client.post(PAGE, {**sent, "based_on": "2"}).text)
    assert "No chain is finished any more without a person's answer" in looked
