"""A requester's finished project, and jobs that are done when the test says so."""

import pytest

from annotation.models import Project
from tests.projects.forecast.conftest import image, rita  # noqa: F401  # a fixture
from tests.support.projects import project_of


@pytest.fixture
def project(db: None) -> Project:
    """Two images whose chains and boxes are finished."""
    return project_of(image("one"), image("two"), name="ours")
