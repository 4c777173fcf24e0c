"""In a real browser: pointing at a phrase shows its boxes, and the other way round.
In a real browser: pictures come from the bucket, by a redirect that the content policy lets pass.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Image
from config.settings import bucket_origins
from exchange.import_dataset import import_dataset
from tests.support.browsers import new_context
from tests.support.kept import Kept
from tests.support.labelling_page import TWO_FRAMES
from tests.support.s3 import BUCKET, S3Twin


@pytest.fixture
def page(
    finished: Kept, transactional_db: None, live_server: LiveServer, chromium: Browser, settings: object
) -> Iterator[Page]:
    settings.GALLERY_PUBLIC = True  # type: ignore[attr-defined]
    finished.write()
    image = Image.objects.get(position=0)
    context = new_context(chromium, viewport={"width": 1440, "height": 900}, has_touch=True)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.goto(f"{live_server.url}/projects/drawn/images/{image.id}/")
    yield opened
    context.close()
    assert problems == []


@pytest.mark.smoke
def test_pointing_at_a_phrase_lights_up_its_boxes_and_its_other_phrases(page: Page) -> None:
    phrase = page.locator(".phrase").first
    chain = phrase.get_attribute("data-chains")
    phrase.hover()
    lit = page.locator(".box.on")
    expect(lit).not_to_have_count(0)
    assert all(chain in (box.get_attribute("data-chains") or "").split() for box in lit.all())
    assert page.locator(".phrase.on").count() == page.locator(f'.phrase[data-chains="{chain}"]').count() > 1


def test_pointing_at_a_box_lights_up_its_phrases(page: Page) -> None:
    box = page.locator(".box").last
    chains = (box.get_attribute("data-chains") or "").split()
    box.locator(".line").hover(force=True, position={"x": 2, "y": 2})
    expect(page.locator(".phrase.on")).not_to_have_count(0)
    assert {one.get_attribute("data-chains") for one in page.locator(".phrase.on").all()} == set(chains)


def test_the_keyboard_reaches_every_phrase_and_a_tap_keeps_it_lit(page: Page) -> None:
    phrase = page.locator(".phrase").nth(1)
    phrase.focus()
    expect(phrase).to_have_class("phrase c1 on")
    phrase.tap()
    page.mouse.move(5, 5)
    page.evaluate(TWO_FRAMES)
    expect(phrase).to_have_class("phrase c1 on")
    page.keyboard.press("Escape")
    expect(page.locator(".phrase.on")).to_have_count(0)


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


def test_pictures_are_shown_from_the_bucket(tab: Page, in_bucket: S3Twin, live_server: LiveServer, settings: Any):
    allow(settings, *bucket_origins(BUCKET, in_bucket.url, "us-east-1"))
    by_service: list[str] = []
    tab.on("response", lambda one: by_service.append(one.url) if is_picture_of(one, live_server.url) else None)
    assert said_at(tab, f"{live_server.url}/projects/drawn/") == [] and tab.evaluate(SHOWN)
    image = Image.objects.earliest("position")
    there = f"{in_bucket.url}/{BUCKET}/renditions/screen/"
    with tab.expect_response(lambda answer: answer.url.startswith(there)) as one:
        assert said_at(tab, f"{live_server.url}/projects/drawn/images/{image.id}/") == []
    assert one.value.status == 200 and by_service == []


def is_picture_of(answer: Response, service: str) -> bool:
    """Tell whether the service itself sent a picture, other than those of its pages."""
    own = answer.url.startswith(service) and not answer.url.startswith(f"{service}/static/")
    return own and answer.status == 200 and answer.headers.get("content-type", "").startswith("image/")


def test_without_the_bucket_in_the_policy_there_would_be_none(tab: Page, live_server: LiveServer) -> None:
    said = said_at(tab, f"{live_server.url}/projects/drawn/")
    assert any("Content Security Policy" in message for message in said) and not tab.evaluate(SHOWN)
