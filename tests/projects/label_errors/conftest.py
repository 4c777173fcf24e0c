"""A data set that is being checked."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Role
from annotation.models import Project
from pipeline.settings.settings import Settings
from tests.support.checked import KeptCheck
from tests.support.members import sign_in


@pytest.fixture(scope="session")
def kept_parks(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> KeptCheck:
    return KeptCheck(django_db_blocker, tmp_path_factory.mktemp("check"), 4, Settings(test_questions=0))


@pytest.fixture
def project(kept_parks: KeptCheck, db: None, settings: Any, client: Client) -> Project:
    """Four drawn scenes that are checked, before any answer; `client` is a reviewer."""
    made = kept_parks.write(settings)
    sign_in(client, made, Role.REVIEWER, "eve")
    return made
