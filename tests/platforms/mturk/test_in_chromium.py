"""A newcomer on Mechanical Turk, in a real browser: preview, accept, test, work, and back by the form."""

from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from pipeline.models import Judgment
from platforms.mturk.platform import MTurkPlatform
from tests.platforms.mturk.samples import ANN, open_offer
from tests.support.being_tested import being_tested
from tests.support.labelling_page import complaints
from tests.twins.mturk import MTurkTwin
from workers.models import Offer, Session, Worker

# What a browser does with a page does not depend on the database.
pytestmark = pytest.mark.sqlite_only


def wait_for(frame: FrameLocator, state: str) -> None:
    expect(frame.locator("#work")).to_have_attribute("data-state", state)


def answer_all(page: Page, frame: FrameLocator) -> None:
    """The first answer to every question, up to the summary, which is sent."""
    while frame.locator("#work").get_attribute("data-state") == "asking":
        before = frame.locator("#work").get_attribute("data-index")
        page.keyboard.press("1")
        expect(frame.locator(f'#work[data-state="asking"][data-index="{before}"]')).to_have_count(0)
    wait_for(frame, "summary")
    page.keyboard.press("Enter")


@pytest.fixture
def project(transactional_db: None) -> Project:
    return being_tested()


def test_a_newcomer_previews_accepts_works_and_submits(
    project: Project, mturk: MTurkPlatform, twin: MTurkTwin, live_server: LiveServer, chromium: Browser, settings: Any
) -> None:
    settings.ADDRESS = live_server.url.replace("127.0.0.1", "localhost")
    offer = open_offer(mturk, Offer.Kind.ENTRY, project=project, task="coreference_link")
    twin.worker(ANN, approved=500)
    page = chromium.new_page()
    said, frame = complaints(page), page.frame_locator("iframe")
    page.goto(f"{twin.url}/worker/{ANN}")
    page.get_by_role("link", name="Box quality").click()
    expect(frame.get_by_text("Accept the HIT to begin")).to_be_visible()
    assert not Worker.objects.exists()

    page.get_by_role("button", name="Accept").click()
    wait_for(frame, "learning")
    frame.locator("h1").first.click()
    page.keyboard.press("Enter")
    for _ in range(3):
        expect(frame.locator('.stage[data-loading="shown"], button:has-text("test")').first).to_be_visible()
        page.keyboard.press("Enter")
    wait_for(frame, "asking")
    answer_all(page, frame)
    wait_for(frame, "sent")
    page.keyboard.press("Enter")
    wait_for(frame, "asking")
    answer_all(page, frame)
    expect(frame.get_by_role("heading", name="Submitted")).to_be_visible()
    page.close()
    session = Session.objects.get()
    assert (session.state, Judgment.objects.count()) == ("finished", 12)
    (seen,) = mturk.sessions(offer)
    assert (seen.external_id, seen.external_worker, seen.there) == (session.external_id, ANN, "submitted")
    # The site has no picture for the tab.
    assert [one for one in said if not one.startswith("Failed to load resource")] == []
