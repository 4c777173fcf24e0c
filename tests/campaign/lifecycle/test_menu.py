"""The menu of a project: its groups, the pages of the group in which a visitor is, and nothing that is not allowed."""

import re

import pytest
from django.test import Client

from members.models import Role
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.projects import worker as make_worker

pytestmark = pytest.mark.django_db


def menu(client: Client, path: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the groups, those of the pages, and what is marked as here."""
    html = client.get(path).text
    nav = html[html.index('aria-label="Pages of the project"') :].partition("</nav>")[0]
    parts = [re.findall(rf'class="{one}">(.*?)</div>', nav, re.DOTALL) for one in ("groups", "rooms")]
    groups, pages = (re.findall(r">([^<]+)</a>", part[0]) if part else [] for part in parts)
    return groups, pages, re.findall(r'aria-current="\w+">([^<]+)<', nav)


def test_a_page_stands_in_its_group_with_its_neighbours(client: Client) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.REQUESTER)
    path = f"/projects/{project.name}/"
    groups = ["Progress", "Preparation", "People", "Quality"]
    assert menu(client, f"{path}workers/") == (groups, ["Workers", "Recruiting", "Members"], ["People", "Workers"])
    assert menu(client, path)[2] == ["Progress", "Images"]
    preparing = ["Data", "Phrases", "Settings", "Known questions", "Predict", "Models"]
    assert menu(client, f"{path}settings/") == (groups, preparing, ["Preparation", "Settings"])


def test_a_page_below_one_of_the_menu_stands_in_the_same_group(client: Client) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.REQUESTER)
    who = make_worker(project, "ada")
    found = menu(client, f"/projects/{project.name}/workers/{who.pk}/")
    assert found[1:] == (["Workers", "Recruiting", "Members"], ["People", "Workers"])


def test_few_pages_stand_in_one_row(client: Client) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.VIEWER)
    assert menu(client, f"/projects/{project.name}/") == ([], ["Images", "Explore"], ["Images"])
