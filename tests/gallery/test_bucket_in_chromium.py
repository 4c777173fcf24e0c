"""In a real browser: pictures come from the bucket, by a redirect that the content policy lets pass."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response
from pytest_django.live_server_helper import LiveServer

from annotation.models import Image
from config.storages import bucket_origins
from exchange.import_dataset import import_dataset
from tests.support.browsers import new_context
from tests.support.s3 import BUCKET, S3Twin

SHOWN = "() => [...document.images].every((one) => one.complete && one.naturalWidth > 0)"
DONE = "() => [...document.images].every((one) => one.complete)"


@pytest.fixture
def tab(
    transactional_db: None,
    in_bucket: S3Twin,
    live_server: LiveServer,
    chromium: Browser,
    scenes_folder: Path,
    settings: Any,
) -> Iterator[Page]:
    settings.GALLERY_PUBLIC = True
    import_dataset(project_name="drawn", path=scenes_folder)
    context = new_context(chromium, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def allow(settings: Any, *origins: str) -> None:
    policy = settings.CONTENT_SECURITY_POLICY
    images = [*policy["DIRECTIVES"]["img-src"], *origins]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {**policy["DIRECTIVES"], "img-src": images}}


def said_at(tab: Page, address: str) -> list[str]:
    """Go there, wait for the pictures, and return what the browser complains of."""
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    tab.goto(address)
    tab.wait_for_function(DONE)
    return said


def test_pictures_are_shown_from_the_bucket(
    tab: Page, in_bucket: S3Twin, live_server: LiveServer, settings: Any
) -> None:
    allow(settings, *bucket_origins(BUCKET, in_bucket.url, "us-east-1"))
    by_service: list[str] = []
    tab.on("response", lambda one: by_service.append(one.url) if is_picture_of(one, live_server.url) else None)
    assert said_at(tab, f"{live_server.url}/projects/drawn/") == []
    assert tab.evaluate(SHOWN)
    image = Image.objects.earliest("position")
    there = f"{in_bucket.url}/{BUCKET}/renditions/screen/"
    with tab.expect_response(lambda answer: answer.url.startswith(there)) as one:
        assert said_at(tab, f"{live_server.url}/projects/drawn/images/{image.id}/") == []
    assert one.value.status == 200
    assert by_service == []


def is_picture_of(answer: Response, service: str) -> bool:
    """Tell whether the service itself sent a picture, other than those of its pages."""
    own = answer.url.startswith(service) and not answer.url.startswith(f"{service}/static/")
    return own and answer.status == 200 and answer.headers.get("content-type", "").startswith("image/")


def test_without_the_bucket_in_the_policy_there_would_be_none(tab: Page, live_server: LiveServer) -> None:
    said = said_at(tab, f"{live_server.url}/projects/drawn/")
    assert any("Content Security Policy" in message for message in said)
    assert not tab.evaluate(SHOWN)
