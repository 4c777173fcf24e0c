"""A project that pays, and an offer of it."""

import pytest

from annotation.models import Project
from platforms.models import Offer
from tests.support.money import paying
from tests.support.recruiting import an_offer


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def offer(project: Project) -> Offer:
    return an_offer(project)
