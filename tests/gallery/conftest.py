"""A finished project of two drawn scenes."""

from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from annotation.models import Image, Project
from exchange.import_dataset import import_dataset
from scenes.write import write_source
from simulation.simulate import simulate


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


@pytest.fixture
def drawn(db: None, scenes_folder: Path, settings: object) -> Project:
    settings.GALLERY_PUBLIC = True  # type: ignore[attr-defined]
    return make_project(scenes_folder)


@pytest.fixture
def first_image(drawn: Project) -> Image:
    return drawn.images.get(position=0)


@pytest.fixture
def expert(client: Client) -> Client:
    client.force_login(get_user_model().objects.create_user("ada", password="x", is_staff=True))
    return client
