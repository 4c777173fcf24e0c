"""A finished project of two drawn scenes, and a reviewer of it."""

import pytest
from django.test import Client

from annotation.models import Image, Project
from members.models import Role
from tests.support.members import sign_in


@pytest.fixture
def first_image(drawn: Project) -> Image:
    return drawn.images.get(position=0)


@pytest.fixture
def expert(client: Client, drawn: Project) -> Client:
    sign_in(client, drawn, Role.REVIEWER, "ada")
    return client
