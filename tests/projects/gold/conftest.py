"""A draft whose reviewers annotate images of their own, and sheets as their pages send them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.models import Role
from annotation.models import Project
from annotation.rules.states import ProjectState
from projects.models import GoldImage
from tests.support.kept import Kept
from tests.support.members import member
from tests.support.projects import phrases, project_of

TEXTS = (
    "people: a man", "people: the man", "animals: a dog", "animals: the dog", "animals: a cat",
    "scene: a street", "other: a trick",
)  # fmt: skip
LEFT, RIGHT, LOW, FAR = [0, 0, 40, 60], [100, 0, 150, 60], [50, 70, 90, 99], [150, 65, 199, 99]
RIGHT_SHEET: list[dict[str, Any]] = [
    {"mentions": [0, 1], "non_visual": "", "boxes": [LEFT, RIGHT]},
    {"mentions": [2, 3], "non_visual": "", "boxes": [LOW]},
    {"mentions": [4], "non_visual": "", "boxes": [FAR]},
    {"mentions": [5], "non_visual": "scene", "boxes": []},
    {"mentions": [6], "non_visual": "no box", "boxes": []},
]
"""The right annotation of each image of the project."""


@pytest.fixture(scope="session")
def begun(django_db_setup: None, django_db_blocker: Any) -> Kept:
    """The rows of a draft of eight images."""

    def make() -> None:
        project_of(*(phrases(*TEXTS, name=str(number)) for number in range(8)))
        Project.objects.update(state=ProjectState.DRAFT.value)

    return Kept(django_db_blocker, make)


@pytest.fixture
def draft(begun: Kept, db: None) -> Project:
    begun.write()
    return Project.objects.get(name="small")


@pytest.fixture
def rita(draft: Project) -> Client:
    """A requester's browser."""
    return browser(member(draft, Role.REQUESTER, "rita"))


@pytest.fixture
def ada(draft: Project) -> Client:
    """A reviewer's browser."""
    return browser(member(draft, Role.REVIEWER, "ada"))


@pytest.fixture
def bob(draft: Project) -> Client:
    return browser(member(draft, Role.REVIEWER, "bob"))


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def draw(client: Client, count: int = 1, annotators: int = 1) -> list[GoldImage]:
    """Draw images on the page, and return all of the sample."""
    client.post("/projects/small/gold/", {"count": count, "annotators": annotators})
    return list(GoldImage.objects.select_related("image"))


def address(row: GoldImage) -> str:
    return f"/api/v1/requester/projects/small/gold/sample/{row.image_id}/"


def send(client: Client, row: GoldImage, chains: Any = RIGHT_SHEET, *, finish: bool = True) -> Any:
    """Save a sheet as the page does, after reading it."""
    read = client.get(address(row))
    assert read.status_code == 200, read.content
    body = {"chains": chains, "revision": read.json()["revision"], "finish": finish}
    return client.post(address(row), body, content_type="application/json")


def otherwise(*chains: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the right sheet with these chains in place of those that share mentions with them."""
    taken = {number for chain in chains for number in chain["mentions"]}
    return [*(one for one in RIGHT_SHEET if taken.isdisjoint(one["mentions"])), *chains]
