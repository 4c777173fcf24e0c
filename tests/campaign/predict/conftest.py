"""A requester's project of tiny images, and jobs that are done when the test says so."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation.models import Project
from annotation.rules.box import Box
from campaign.data import jobs as runs
from campaign.predict import jobs
from exchange.dataset import DatasetBox, DatasetImage
from members.add_member import add_member
from members.models import Role
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from tests.support.members import maker
from tests.support.projects import phrases, project_of

REWARDS = {task.value: 20 for task in PROTOCOL_TASKS}


TEXTS = ("people: a man", "people: the tall man", "clothing: a hat")


def plain(name: str) -> DatasetImage:
    """Make an image of which nothing is known but its phrases."""
    return phrases(*TEXTS, name=name)


def image(name: str) -> DatasetImage:
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(100, 10, 140, 40), ("hat",))]
    return phrases(*TEXTS, name=name, chains=["man", "man", "hat"], boxes=boxes)


@pytest.fixture
def project(db: None) -> Project:
    return project_of(
        *(plain(str(number)) for number in range(4)), name="ours", settings=ProtocolSettings(reward_cents=REWARDS)
    )


@pytest.fixture
def with_gold(db: None) -> Project:
    return project_of(*(image(str(number)) for number in range(4)), name="golden", gold=True)


@pytest.fixture
def requester(client: Client, project: Project) -> Client:
    user = maker("rita")
    add_member(user, project, Role.REQUESTER)
    client.force_login(user)
    return client


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """Jobs that wait: the test calls them, in this thread, whose transaction they see."""
    waiting: list[Callable[[], None]] = []
    for room in (jobs, runs):
        monkeypatch.setattr(room, "aside", waiting.append)
    return waiting


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs run where they are requested."""
    for room in (jobs, runs):
        monkeypatch.setattr(room, "aside", lambda work: work())
