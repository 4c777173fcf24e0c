"""A requester's project, files of their own, and runs that are carried out when the test says so."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.settings_versions import open_project
from tests.support.pictures import plain_jpeg

HEADER = "image,caption\n"


@pytest.fixture(autouse=True)
def _own_folders(own_folders: None) -> None:
    """Keep all files of these tests with them."""


@pytest.fixture
def draft(db: None) -> Project:
    return open_project(name="ours", title="Ours", state=ProjectState.DRAFT)


@pytest.fixture
def rita(rita: User, draft: Project) -> User:
    """The requester of the project."""
    add_member(rita, draft, Role.REQUESTER)
    return rita


@pytest.fixture
def source(tmp_path: Path, settings: Any) -> Path:
    """Six pictures in a folder from which requesters may import."""
    settings.IMPORT_SOURCES = [str(tmp_path / "sets")]
    return make_source(tmp_path / "sets" / "six", 6)


def make_source(folder: Path, count: int, *, caption: str = "[a man] with [a dog]") -> Path:
    """Write a folder of so many pictures with a caption each."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [HEADER]
    for number in range(count):
        (folder / f"{number}.jpg").write_bytes(plain_jpeg())
        lines.append(f"{number}.jpg,{caption}\n")
    (folder / "captions.csv").write_text("".join(lines))
    return folder


@pytest.fixture
def look_at_every_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run look after each image whether it is to stop."""
    monkeypatch.setattr("projects.operation.LOOK_SECONDS", 0)
