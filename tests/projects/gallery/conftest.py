"""A finished project of two drawn scenes."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Role
from annotation.models import Image, Project
from exchange.import_dataset import import_dataset
from simulation.scenes.scene import write_source
from simulation.simulate import simulate
from tests.support.kept import Kept
from tests.support.members import sign_in


@pytest.fixture(scope="session")
def scenes_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery") / "scenes"
    write_source(folder, seed=1, count=2)
    return folder


def make_project(folder: Path, name: str = "drawn") -> Project:
    import_dataset(project_name=name, path=folder, gold=True)
    project = Project.objects.get(name=name)
    simulate(project=project, crowd="perfect")
    return project


@pytest.fixture(scope="session")
def finished(django_db_setup: None, django_db_blocker: Any, scenes_folder: Path) -> Kept:
    """The rows of the project `drawn`, which takes seconds to make. Its pictures stay in the tests' folder."""
    return Kept(django_db_blocker, lambda: make_project(scenes_folder))


@pytest.fixture
def drawn(finished: Kept, db: None, settings: object) -> Project:
    settings.GALLERY_PUBLIC = True  # type: ignore[attr-defined]
    finished.write()
    return Project.objects.get(name="drawn")


@pytest.fixture
def first_image(drawn: Project) -> Image:
    return drawn.images.get(position=0)


@pytest.fixture
def expert(client: Client, drawn: Project) -> Client:
    sign_in(client, drawn, Role.REVIEWER, "ada")
    return client
