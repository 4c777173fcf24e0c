"""A finished project of two drawn scenes, and a reviewer of it."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Image, Project
from members.models import Role
from scenes.write import write_source
from tests.gallery.conftest import make_project
from tests.support.kept import Kept
from tests.support.members import sign_in


@pytest.fixture(scope="session")
def scenes_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review") / "scenes"
    write_source(folder, seed=1, count=2)
    return folder


@pytest.fixture(scope="session")
def finished(django_db_setup: None, django_db_blocker: Any, scenes_folder: Path) -> Kept:
    """The rows of the project, which takes a second to make."""
    return Kept(django_db_blocker, lambda: make_project(scenes_folder))


@pytest.fixture
def drawn(finished: Kept, db: None) -> Project:
    finished.write()
    return Project.objects.get(name="drawn")


@pytest.fixture
def first_image(drawn: Project) -> Image:
    return drawn.images.get(position=0)


@pytest.fixture
def expert(client: Client, drawn: Project) -> Client:
    sign_in(client, drawn, Role.REVIEWER, "ada")
    return client
