"""A requester's finished project, and jobs that are done when the test says so."""

import pytest
from django.contrib.auth.models import User

from annotation.models import Project
from members.add_member import add_member
from members.models import Role
from tests.campaign.cost_prediction.conftest import image
from tests.support.projects import project_of


@pytest.fixture
def project(db: None) -> Project:
    """Two images whose chains and boxes are finished."""
    return project_of(image("one"), image("two"), name="ours")


@pytest.fixture
def rita(rita: User, project: Project) -> User:
    add_member(rita, project, Role.REQUESTER)
    return rita
