"""A requester, and jobs that are done where they are requested."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaign.data import jobs
from tests.support.members import maker


@pytest.fixture(autouse=True)
def _own_folders(settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    settings.MEDIA_ROOT = settings.DATA / "media"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs run where they are requested."""
    monkeypatch.setattr(jobs, "in_background", lambda work: work())


@pytest.fixture
def rita(db: None) -> User:
    return maker("rita")


@pytest.fixture
def requester(client: Client, rita: User) -> Client:
    client.force_login(rita)
    return client
