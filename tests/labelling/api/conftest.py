"""Two workers who speak to the API, and four dogs to ask about."""

import pytest
from django.test import Client

from annotation.models import Project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from tests.support.api import ApiWorker
from tests.support.projects import phrases, project_of, worker

PAID = Settings(reward_cents={**Settings().reward_cents, Task.BOX_REQUIREMENT: 30})


@pytest.fixture
def project() -> Project:
    return project_of(*[phrases("animals: a dog", name=str(n)) for n in range(4)], settings=PAID)


@pytest.fixture
def ada(client: Client, project: Project) -> ApiWorker:
    return ApiWorker(client, worker(project, "ada"))


@pytest.fixture
def bob(client: Client, project: Project) -> ApiWorker:
    return ApiWorker(client, worker(project, "bob"))
