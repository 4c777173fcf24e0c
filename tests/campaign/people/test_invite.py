"""The page of invitations: a requester makes links, sees who came, and closes them."""

import re

import pytest
from django.test import Client

from annotation.models import Project
from annotation.rules.states import ProjectState
from members.models import Role
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of, worker
from workers.models import Access, Invitation

pytestmark = pytest.mark.django_db
PAGE = "/projects/small/workers/invite/"
TERMS = {"who": "newcomers", "tasks": ["coreference_link", "box_quality"], "most": "6", "days": "14", "note": "class"}


@pytest.fixture
def project(client: Client) -> Project:
    made = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, made, Role.REQUESTER, "grace")
    return made


def said(client: Client) -> str:
    return re.sub(r"\s+", " ", client.get(PAGE).text)


def test_a_link_is_made_with_its_terms_shown_and_leads_to_the_page_on_which_people_join(
    client: Client, project: Project
) -> None:
    assert client.post(PAGE, TERMS).status_code == 302
    made = Invitation.objects.get()
    assert (made.tasks, made.trusted, made.most, made.note) == (TERMS["tasks"], False, 6, "class")
    assert made.expires_at is not None
    page = said(client)
    assert f"http://testserver/join/{made.code}/" in page
    assert "coreference link, box quality" in page and "0 of 6" in page
    assert client.get(f"/join/{made.code}/").status_code == 200


def test_a_link_for_trusted_people_opens_all_tasks_without_limits(client: Client, project: Project) -> None:
    client.post(PAGE, {"who": "trusted", "days": ""})
    made = Invitation.objects.get()
    assert (made.tasks, made.trusted, made.most, made.expires_at) == ([], True, None, None)
    assert "all tasks" in said(client)


@pytest.mark.parametrize("wrong", [{"who": "friends"}, {"most": "0"}, {"days": "-1"}, {"tasks": ["cooking"]}])
def test_wrong_terms_are_refused_beside_the_field(client: Client, project: Project, wrong: dict[str, str]) -> None:
    response = client.post(PAGE, {**TERMS, **wrong})
    assert response.status_code == 400
    assert b'class="error"' in response.content
    assert not Invitation.objects.exists()


def test_a_draft_says_which_known_questions_its_newcomers_lack(client: Client, project: Project) -> None:
    Project.objects.update(state=ProjectState.DRAFT.value)
    client.post(PAGE, TERMS)
    page = said(client)
    assert "Before the project can be started" in page and 'href="/projects/small/gold/"' in page


def test_a_running_project_warns_of_a_stock_that_is_too_small(client: Client, project: Project) -> None:
    page = client.post(PAGE, TERMS, follow=True).text
    assert "verification questions" in page


@pytest.mark.both_engines
def test_nobody_joins_by_a_closed_link_and_whoever_joined_stays(client: Client, project: Project) -> None:
    client.post(PAGE, TERMS)
    made = Invitation.objects.get()
    worker(project, "bob")
    client.post(f"{PAGE}{made.pk}/close/")
    assert client.get(f"/join/{made.code}/").status_code == 410
    assert Access.objects.filter(worker__name="bob").exists()
    page = said(client)
    assert "expired or closed" in page and made.code not in page


def test_a_link_of_another_project_is_not_found(client: Client, project: Project) -> None:
    other = Project.objects.create(name="other")
    row = Invitation.objects.create(project=other)
    assert client.post(f"{PAGE}{row.pk}/close/").status_code == 404


def test_the_page_of_workers_leads_to_invitations_before_anybody_joined(client: Client, project: Project) -> None:
    page = client.get("/projects/small/workers/").text
    assert page.count(f'href="{PAGE}"') == 2 and "Nobody has joined yet" in page
    worker(project, "bob")
    page = client.get("/projects/small/workers/").text
    assert "Nobody has joined yet" not in page
    assert "Nobody fits" in client.get("/projects/small/workers/?name=zoe").text
