"""A project with one image, on which workers answer."""

import pytest

from annotation.models import Image
from tests.support.rows import make_image, make_project


@pytest.fixture
def image() -> Image:
    return make_image(make_project())
