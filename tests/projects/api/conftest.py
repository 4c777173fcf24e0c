"""A service that runs, a requester's client of it, and folders of the test's own."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.models import Role, Scope
from accounts.requester_tokens import make_requester_token
from annotation.models import Project
from clients.chainbox_client import Chainbox
from tests.support.members import member, with_rights
from tests.support.projects import phrases, project_of


@pytest.fixture
def project(transactional_db: None) -> Project:
    return project_of(*[phrases("animals: a dog", "animals: a cat", name=str(n)) for n in range(3)])


@pytest.fixture
def requester(project: Project) -> User:
    return with_rights(member(project, Role.REQUESTER, "boss"))


@pytest.fixture
def service(requester: User, live_server: Any) -> Iterator[Chainbox]:
    yield Chainbox(live_server.url, make_requester_token(requester, name="all", scopes=tuple(Scope.values)))
