"""A draft that newcomers can join does not start without known questions, and says so; others start as before."""

from dataclasses import replace

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.gold.outlook import outlook
from campaign.lifecycle.change_state import NotReadyError, change_state, missing_before_start
from pipeline.models import KnownQuestion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from platforms.models import Recruitment
from tests.campaign.gold.conftest import draw, send
from workers.grant_access import grant_access
from workers.invitations import invite
from workers.models import Worker


def missing(project: Project) -> str:
    return " ".join(missing_before_start(project))


def test_a_draft_that_only_trusted_workers_join_needs_no_known_questions(draft: Project, rita: Client) -> None:
    invite(project_id=draft.pk, trusted=True)
    grant_access(Worker.objects.create(name="eve"), draft.pk, [task.value for task in PROTOCOL_TASKS], trusted=True)
    assert missing(draft) == ""
    page = rita.get("/projects/small/gold/").text
    assert "Nobody but trusted workers can join so far" in page
    change_state(draft.pk, ProjectState.RUNNING, None)


def test_a_draft_with_an_open_invitation_says_what_is_missing_and_does_not_start(draft: Project, rita: Client) -> None:
    invite(project_id=draft.pk, tasks=["coreference_link"], note="friends")
    assert "the invitation “friends”" in missing(draft)
    assert "coreference link (0 of 40 known, 0 of 10 test)" in missing(draft) and "box" not in missing(draft)
    for address in ("/projects/small/gold/", "/projects/small/data/"):
        assert "0 of 40 known" in rita.get(address).text
    with pytest.raises(NotReadyError, match="known questions are missing"):
        change_state(draft.pk, ProjectState.RUNNING, None)
    rita.post("/projects/small/state/", {"state": "running"})
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_invitations_that_nobody_can_use_do_not_count(draft: Project) -> None:
    invite(project_id=draft.pk, days=-1)
    invite(project_id=draft.pk, most=0)
    assert missing(draft) == ""


def test_platforms_and_workers_who_are_not_trusted_yet_count(draft: Project) -> None:
    Recruitment.objects.create(platform="prolific", project=draft, created_at=timezone.now(), tasks=["box_quality"])
    assert "recruiting on prolific" in missing(draft) and "box quality" in missing(draft)
    Recruitment.objects.update(active=False)
    assert missing(draft) == ""
    grant_access(Worker.objects.create(name="eve"), draft.pk, ["box_drawing"])
    assert "a worker who is not trusted yet" in missing(draft)


@pytest.mark.slow
def test_it_starts_once_enough_images_are_annotated(draft: Project, rita: Client) -> None:
    few = replace(current_settings(draft.pk)[1], probation=1, probation_most=2, test_questions=1, tests=1)
    change_settings(project_id=draft.pk, settings=few, reason="a small test")
    invite(project_id=draft.pk, days=1)
    rows = draw(rita, 5)
    assert "0 of 11 known" in missing(draft)
    for row in rows:
        assert all(one.least_images for one in outlook(draft).tasks if not one.enough), "none needed, and not enough"
        send(rita, row)
    assert missing(draft) == "", KnownQuestion.objects.values_list("task", "purpose")
    page = rita.get("/projects/small/gold/").text
    assert "Before the project can be started" not in page
    change_state(draft.pk, ProjectState.RUNNING, None)
    assert not KnownQuestion.objects.filter(retired_at__isnull=False).exists()


def test_a_running_project_without_questions_says_that_newcomers_wait(draft: Project, rita: Client) -> None:
    change_state(draft.pk, ProjectState.RUNNING, None)
    invite(project_id=draft.pk)
    assert "Newcomers can join, and 6 tasks lack known questions" in rita.get("/projects/small/gold/").text
