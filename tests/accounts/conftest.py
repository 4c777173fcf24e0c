"""A project, and everybody who may come near it."""

from typing import Any

import pytest

from tests.support.everybody import Place, make_place


@pytest.fixture
def place(settings: Any, tmp_path: Any) -> Place:
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = False, tmp_path
    return make_place()
