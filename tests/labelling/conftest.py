"""A cache of each test's own: tries that one test counts must not slow down the next."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def own_cache(settings: Any, tmp_path: Path) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(tmp_path)}}
