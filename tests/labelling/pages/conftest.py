"""A project and a signed-in worker who may draw boxes in it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from tests.support.rows import make_project, make_worker
from workers.invitations import grant_access
from workers.models import Worker


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def ada(project: Project, client: Client) -> Worker:
    worker = make_worker(name="ada", user=User.objects.create_user("ada"))
    grant_access(worker, project.pk, ["box_drawing"], trusted=True)
    client.force_login(worker.user)  # type: ignore[arg-type]
    return worker


@pytest.fixture
def page(client: Client, ada: Worker) -> Client:
    client.force_login(ada.user)  # type: ignore[arg-type]
    return client
