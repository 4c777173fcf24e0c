"""Steps of a draft: every page of the project says what comes next before the start."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Caption, Project
from annotation.rules.states import ProjectState
from campaign.lifecycle.steps import steps_of
from campaign.models import ImportRun
from members.add_member import add_member
from members.models import Role
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from tests.support.being_tested import add_known
from tests.support.projects import phrases, project_of
from workers.invitations import invite

pytestmark = pytest.mark.django_db


def about(project: Project) -> dict[str, str]:
    """Return, for each step, how far it is."""
    return {step.name: "next" if step.next else step.about for step in steps_of(project)}


def draft_of_phrases() -> Project:
    project = project_of(phrases("people: a man", "people: the guy"))
    Project.objects.update(state=ProjectState.DRAFT.value)
    project.refresh_from_db()
    return project


def test_an_empty_draft_begins_with_its_data() -> None:
    found = about(open_project(name="small"))
    assert found == {
        "Data": "next",
        "Phrases": "optional",
        "Settings": "optional",
        "Predict": "optional",
        "Known questions": "optional",
        "Invite workers": "to do",
    }


def test_people_come_after_the_data_and_newcomers_need_known_questions() -> None:
    project = draft_of_phrases()
    assert about(project)["Invite workers"] == "next"
    invite(project_id=project.pk)
    found = about(project)
    assert (found["Invite workers"], found["Known questions"]) == ("done", "next")


def test_trusted_people_need_no_known_questions() -> None:
    project = draft_of_phrases()
    invite(project_id=project.pk, trusted=True)
    assert not any(step.next for step in steps_of(project))


def test_known_questions_are_done_with_a_full_stock() -> None:
    project = draft_of_phrases()
    invite(project_id=project.pk)
    add_known(project, tests=10, stock=40)
    assert about(project)["Known questions"] == "done"


def test_only_what_the_requester_did_is_ticked() -> None:
    project = draft_of_phrases()
    settings = current_settings(project.pk)[1]
    change_settings(project_id=project.pk, settings=settings, reason="an import's option")
    optional = about(project)
    assert [optional[name] for name in ("Phrases", "Settings", "Predict", "Known questions")] == ["optional"] * 4
    change_settings(project_id=project.pk, settings=settings, reason="we compared", made_by="rita")
    ImportRun.objects.create(project=project, kind=ImportRun.Kind.TYPES)
    add_known(project, tests=10, stock=40)
    done = about(project)
    assert [done[name] for name in ("Data", "Phrases", "Settings", "Known questions")] == ["done"] * 4


def test_captions_without_phrases_are_needed_even_if_types_were_changed() -> None:
    project = draft_of_phrases()
    invite(project_id=project.pk, trusted=True)
    ImportRun.objects.create(project=project, kind=ImportRun.Kind.TYPES)
    Caption.objects.update(chunked=False)
    assert about(project)["Phrases"] == "next"


def test_a_requester_sees_the_steps_of_a_draft_and_a_reviewer_or_a_running_project_has_none(client: Client) -> None:
    project = draft_of_phrases()
    for name, role in (("rita", Role.REQUESTER), ("vic", Role.REVIEWER)):
        add_member(User.objects.create_user(name), project, role)
    here = b'aria-label="Steps to the start"'
    client.force_login(User.objects.get(username="vic"))
    assert here not in client.get("/projects/small/gold/").content
    client.force_login(User.objects.get(username="rita"))
    page = client.get("/projects/small/workers/invite/").content
    assert here in page and b'aria-current="step"' in page
    Project.objects.update(state=ProjectState.RUNNING.value)
    assert here not in client.get("/projects/small/workers/invite/").content
