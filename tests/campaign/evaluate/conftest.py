"""A requester's finished project, and jobs that are done when the test says so."""

import pytest
from django.test import Client

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from members.add_member import add_member
from members.models import Role
from tests.support.members import maker
from tests.support.projects import phrases, project_of

TEXTS = ("people: a man", "people: the tall man", "clothing: a hat")


def image(name: str) -> DatasetImage:
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(100, 10, 140, 40), ("hat",))]
    return phrases(*TEXTS, name=name, chains=["man", "man", "hat"], boxes=boxes)


@pytest.fixture
def project(db: None) -> Project:
    """Two images whose chains and boxes are finished."""
    return project_of(image("one"), image("two"), name="ours")


@pytest.fixture
def requester(client: Client, project: Project) -> Client:
    user = maker("rita")
    add_member(user, project, Role.REQUESTER)
    client.force_login(user)
    return client
