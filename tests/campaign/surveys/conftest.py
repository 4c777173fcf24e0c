"""A requester, and jobs that are done where they are requested."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.members import maker


@pytest.fixture(autouse=True)
def _at_once(own_folders: None, at_once: None) -> None:
    """Let jobs run where they are requested."""


@pytest.fixture
def rita(db: None) -> User:
    return maker("rita")


@pytest.fixture
def requester(client: Client, rita: User) -> Client:
    client.force_login(rita)
    return client
