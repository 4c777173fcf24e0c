"""Every page of a survey: it opens, or it says that a survey has no such page."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from annotation.models import Project
from campaign import access
from campaign import urls as campaign_urls
from campaign.dashboard.figures.refresh import refresh_figures
from campaign.templatetags.campaign import MENU_OF_SURVEY
from gallery import urls as gallery_urls
from members.models import Role
from pipeline.record.fold_judgments import fold_judgments
from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of, worker
from tests.support.surveys import ATOM, CHECK, atom, foil, survey
from workers.models import Worker

pytestmark = pytest.mark.django_db
OF_A_PROJECT = [
    (app, one)
    for app, patterns in (("campaign", campaign_urls.urlpatterns), ("gallery", gallery_urls.urlpatterns))
    for one in patterns
    if isinstance(one, URLPattern) and "<slug:name>" in str(one.pattern)
]
ANSWERS = {
    CHECK: ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}, {"verdict": "correct"}),
    ATOM: ("yes", "no", "yes"),
}


def answered(folder: Path, client: Client, task: Task) -> Project:
    """A running survey with answers of three workers, on which they disagree."""
    lines = [foil(0), foil(1), foil(2), foil(3)] if task is CHECK else [atom("dog"), atom("idea", "action")]
    project = survey(folder, lines, task)
    for name, answer in zip(("ada", "bob", "cyd"), ANSWERS[task], strict=True):
        api = ApiWorker(client, worker(project, name, task), project=project.name)
        work = api.ask(task)
        api.submit(work, *[answer] * len(work["questions"]))
        fold_judgments(project_id=project.pk)
    refresh_figures(project.pk, anew=True)
    return project


def address_of(project: Project, app: str, pattern: URLPattern) -> str:
    image = project.images.all()[0].pk
    values: dict[str, Any] = {
        "name": project.name,
        "image_id": image,
        "worker_id": Worker.objects.get(name="ada").pk,
        "chart": "votes" if "results" in str(pattern.pattern) else "hours",
        "export_format": "coco",
        "state": "none",
        "file": "report.json",
    }
    names = re.findall(r"<\w+:(\w+)>", str(pattern.pattern))
    return reverse(f"{app}:{pattern.name}", kwargs={name: values.get(name, 1) for name in names})


@pytest.mark.slow
@pytest.mark.parametrize("task", [CHECK, ATOM])
def test_every_page_of_a_survey_opens_or_says_that_there_is_none(tmp_path: Path, client: Client, task: Task) -> None:
    project = answered(tmp_path, client, task)
    for role in (Role.REQUESTER, Role.REVIEWER, Role.VIEWER):
        browser = Client()
        sign_in(browser, project, role, f"a {role}")
        every_page_opens_or_says_that_there_is_none(browser, project, role)


def every_page_opens_or_says_that_there_is_none(client: Client, project: Project, role: Role) -> None:
    opened = set()
    for app, pattern in OF_A_PROJECT:
        found = client.get(address_of(project, app, pattern))
        assert found.status_code in (200, 202, 302, 403, 404, 405), (pattern, found.status_code)
        if found.status_code == 404 and pattern.name in access.NOT_OF_SURVEYS:
            assert "A survey has no such page" in found.text
        if found.status_code == 200:
            opened.add(pattern.name)
        if found.streaming:
            b"".join(found)
    expected = {"project", "image"}
    if role != Role.VIEWER:
        expected |= {"results", "results_live", "results_table", "votes", "gold"}
    if role == Role.REQUESTER:
        expected |= {
            "items",
            "settings",
            "workers",
            "worker",
            "invitations",
            "recruit",
            "money",
            "known_questions",
            "assignments",
            "alerts",
            "delete",
            "ledger",
        }
    assert expected <= opened
    assert not opened & access.NOT_OF_SURVEYS


def test_a_survey_has_no_program_that_judges(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0)], CHECK)
    sign_in(client, project, Role.REQUESTER)
    found = client.post(reverse("campaign:judge", args=[project.name]))
    assert found.status_code == 404 and "A survey has no such page" in found.text


@pytest.mark.both_engines
def test_every_entry_of_the_menu_leads_to_a_page(tmp_path: Path, client: Client) -> None:
    project = answered(tmp_path, client, CHECK)
    sign_in(client, project, Role.REQUESTER)
    addresses = [reverse(name, args=[project.name]) for group in MENU_OF_SURVEY.values() for name, _, _ in group]
    assert [client.get(address).status_code for address in addresses] == [200] * 9
    assert not {"campaign:explore", "campaign:predict"} & {
        name for group in MENU_OF_SURVEY.values() for name, _, _ in group
    }


@pytest.mark.both_engines
def test_an_ordinary_project_has_no_pages_of_a_survey(client: Client) -> None:
    project = project_of(phrases("people: a man"), name="plain")
    sign_in(client, project, Role.REQUESTER)
    for name in access.OF_SURVEYS - {"results_table"}:
        found = client.get(reverse(f"campaign:{name}", args=[project.name]))
        assert (found.status_code, "Only a survey has this page" in found.text) == (404, True), name
