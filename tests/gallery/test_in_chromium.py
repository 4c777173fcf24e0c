"""In a real browser: pointing at a phrase shows its boxes, and the other way round."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Image
from tests.support.browsers import new_context
from tests.support.kept import Kept
from tests.support.labelling_page import TWO_FRAMES


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


@pytest.mark.smoke
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
