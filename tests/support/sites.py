"""The platforms' own sites, played by their twins, as a worker's browser meets them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pytest
from playwright.sync_api import Page, expect

from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from platforms.models import Session
from platforms.mturk.client import Turk
from tests.platforms.sides import MTurkSide, ProlificSide
from tests.platforms.world import Side
from tests.support.visitor import Visitor
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin
from workers.models import TrustStatus, Worker

WHO = "A1ANNANNANNANN"
KEEPS = """() => {
  document.cookie = "kept=1; SameSite=None; Secure"
  try { localStorage.setItem("kept", "1"); return "storage" } catch { return document.cookie }
}"""


class Site(Protocol):
    """`WHO` is signed in there."""

    @property
    def side(self) -> Side: ...

    def take(self, page: Page, task: Task) -> Visitor:
        """From the list of what is offered to the labelling page."""

    def expect_back(self, page: Page) -> None:
        """The site says that it has what was handed in."""


@dataclass
class MTurkSite:
    twin: MTurkTwin

    def __post_init__(self) -> None:
        self.side = MTurkSide(self.twin)
        self.twin.worker(WHO, approved=500)

    def take(self, page: Page, task: Task) -> Visitor:
        """Looks at it first. A frame of another site may keep nothing in this browser, which is seen to."""
        frame = page.frame_locator("iframe")
        page.goto(f"{self.twin.url}/worker/{WHO}")
        before = _rows()
        page.get_by_role("link", name=task.label.capitalize()).click()
        expect(frame.get_by_text("Accept the HIT to begin")).to_be_visible()
        expect(frame.get_by_text("it begins with a short test")).to_be_visible()
        assert _rows() == before, "who only looks leaves no trace"
        page.get_by_role("button", name="Accept").click()
        expect(frame.locator("#work")).to_be_attached()
        assert frame.locator("body").evaluate(KEEPS) == "", "cookies and storage should be forbidden here"
        return Visitor(page, frame)

    def expect_back(self, page: Page) -> None:
        expect(page.frame_locator("iframe").get_by_role("heading", name="Submitted")).to_be_visible()


@dataclass
class ProlificSite:
    twin: ProlificTwin

    def __post_init__(self) -> None:
        self.side = ProlificSide(self.twin)

    def take(self, page: Page, task: Task) -> Visitor:
        page.goto(self.twin.participant(WHO).page)
        page.get_by_role("link", name=task.label.capitalize()).click()
        return Visitor(page, page)

    def expect_back(self, page: Page) -> None:
        expect(page.locator("#status")).to_have_text("AWAITING REVIEW")


def _rows() -> list[int]:
    return [kind.objects.count() for kind in (Worker, Session, Assignment, TrustStatus)]


@contextmanager
def mturk(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with MTurkTwin() as twin:
        client = twin.client()
        monkeypatch.setattr("platforms.mturk.platform.turk_at", lambda url: Turk(client))
        settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_SITES = "sandbox", twin.url, [twin.url]
        yield MTurkSite(twin)


@contextmanager
def prolific(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with ProlificTwin() as twin:
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = twin.token, twin.workspace
        settings.PROLIFIC_API_URL, settings.PROLIFIC_SITE = twin.url, twin.site
        yield ProlificSite(twin)
