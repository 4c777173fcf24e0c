"""While a project's images are in an archive, its stub, people and money are there, and nothing reads its images."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.away import read_away
from annotation.models import Project
from annotation.rules.states import ProjectMoveError, ProjectState
from campaign.access import OF_PEOPLE
from campaign.lifecycle.change_state import change_state
from labelling.own_data.take_out import own_data
from members.models import Role
from pipeline.money.ledger import account_of
from pipeline.project.queries import chosen_projects
from scenes.write import write_source
from tests.campaign.archive.conftest import archive
from tests.support.members import sign_in
from workers.models import Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def away(small: Project, tmp_path: Path) -> Project:
    archive(small, tmp_path / "archive", "--remove")
    small.refresh_from_db()
    return small


def test_its_page_tells_what_it_was_and_the_requester_where_it_is(away: Project, client: Client) -> None:
    sign_in(client, away, Role.VIEWER)
    page = client.get(reverse("gallery:project", args=[away.name]))
    assert page.status_code == 200 and "<b>5</b> images" in page.text and read_away(away)["archive"] not in page.text
    sign_in(client, away, Role.REQUESTER, "rita")
    assert read_away(away)["archive"] in client.get(reverse("gallery:project", args=[away.name])).text
    assert "5 images in an archive" in client.get(f"{reverse('gallery:start')}?all=yes").text


@pytest.mark.slow
def test_only_pages_of_people_are_open(away: Project, admin_client: Client) -> None:
    for page in ("dashboard", "settings", "data", "review", "explore", "delete", "workers", "money", "members"):
        told = admin_client.get(reverse(f"campaign:{page}", args=[away.name]))
        assert told.status_code == (200 if page in OF_PEOPLE else 404), page
        assert ("in an archive since" in told.text) is (page not in OF_PEOPLE), page
        assert ("this page counts none of them" in told.text) is (page in ("workers", "money")), page


def test_it_can_neither_be_reopened_nor_exported_nor_filled(
    away: Project, admin_client: Client, tmp_path: Path
) -> None:
    with pytest.raises(ProjectMoveError, match="5 images of small are in an archive"):
        change_state(away.pk, ProjectState.RUNNING, None)
    assert admin_client.get(reverse("gallery:export", args=[away.name, "coco"])).status_code == 404
    write_source(tmp_path / "scenes", 3, 1, pictures=False)
    for command in (
        ["export_dataset", away.name, "out", "--format", "coco"],
        ["replay", away.name],
        ["import_dataset", away.name, str(tmp_path / "scenes")],
    ):
        with pytest.raises(CommandError, match=f"bring_back {read_away(away)['archive']}"):
            call_command(*command)
    asked = admin_client.get(reverse("requester_api:project", args=[away.name]))
    assert asked.status_code == 404 and "in an archive" in asked.json()["message"]


def test_money_and_histories_stay_and_no_job_judges_workers_by_what_is_left(
    away: Project, admin_client: Client
) -> None:
    ada = Worker.objects.get(name="ada")
    assert account_of(ada.pk, away.pk).paid == 10 and away.pk not in chosen_projects(None)
    assert len(admin_client.get(reverse("requester_api:ledger", args=[away.name])).json()["entries"]) == 1
    [told] = json.loads("".join(own_data(ada)))["projects"]
    assert told["answers_are_in_an_archive"] and told["pay"]["account"]["paid"] == 10
