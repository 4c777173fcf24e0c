"""A cache for each test, so that counted tries do not slow down the next test; and browsers for workers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests.support.browsers import new_context
from tests.support.labelling_page import LabellingPage, complaints, sign_in
from workers.models import Worker

Sit = Callable[..., LabellingPage]


def with_account(who: Worker, *given: Any, **values: Any) -> Worker:
    """Give the worker a user account of the same name, made with these values."""
    who.user = User.objects.create_user(who.name, *given, **values)
    who.save()
    return who


@pytest.fixture(autouse=True)
def own_cache(settings: Any, tmp_path: Path) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(tmp_path)}}


@pytest.fixture
def sit(transactional_db: None, live_server: LiveServer, chromium: Browser) -> Iterator[Sit]:
    """sit(worker): a signed-in browser for the worker, at the project `small`. An error of the page fails the test."""
    complained: list[list[str]] = []
    contexts = []

    def begin(who: Worker, **options: Any) -> LabellingPage:
        context = new_context(chromium, **{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        sign_in(context, live_server.url, who)
        page = context.new_page()
        complained.append(complaints(page))
        return LabellingPage(page, live_server.url, "small")

    yield begin
    for context in contexts:
        context.close()
    # Calls that fail are the doing of the test.
    assert [one for lines in complained for one in lines if not one.startswith("Failed to load resource")] == []
