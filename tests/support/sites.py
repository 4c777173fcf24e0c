"""The platforms' own sites, played by their twins, and a visitor there, who knows every right answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pytest
from playwright.sync_api import Page, expect

from pipeline.models import Assignment, KnownQuestion
from pipeline.protocol.tasks.task import Task
from platforms.models import Session
from platforms.mturk.client import Turk
from tests.platforms.sides import MTurkSide, ProlificSide
from tests.platforms.world import Side
from tests.support.being_tested import TRUTHS
from tests.support.labelling_page import LabellingPage
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin
from workers.models import TrustStatus, Worker
from workers.task_words import TASK_NAMES

LESSONS = ("Try the examples", "Next example", "Done", "Begin the test")
WHO = "A1ANNANNANNANN"
KEEPS = """() => {
  document.cookie = "kept=1; SameSite=None; Secure"
  try { localStorage.setItem("kept", "1"); return "storage" } catch { return document.cookie }
}"""


class Visitor(LabellingPage):
    """A worker on the labelling page, in a frame or in a tab of its own. They start without the examples."""

    def click(self, words: str) -> None:
        self.wait_until_it_answers()
        self.view.get_by_role("button", name=words).click()

    def take_test(self) -> None:
        """From the rule and the examples to the result."""
        self.wait_for("learning")
        for words in LESSONS:
            self.click(words)
        self.wait_for("asking")
        self._answer_all()
        self.click("Hand in the test")
        expect(self.view.get_by_role("heading", name="Test passed")).to_be_visible()

    def work(self) -> None:
        """One assignment, up to the button that sends it."""
        expect(self.view.locator('#work[data-state="asking"], [data-start]')).to_be_visible()
        if self.view.locator("[data-start]").count():
            self.click("Start without")
        self.wait_for("asking")
        self._answer_all()
        self.click("Submit")

    def _answer_all(self) -> None:
        """Give the right answers by mouse. Questions and right answers are read from the database."""
        assignment = Assignment.objects.get(state=Assignment.State.ACTIVE)
        task = Task(assignment.task)
        for place in range(assignment.size):
            here = self.view.locator(f'#work[data-state="asking"][data-index="{place}"]')
            expect(here).to_be_attached()
            truth = _truth(assignment, task, place)
            if task is Task.BOX_DRAWING and truth:
                self.wait_for_picture()
                self.drag(truth[0][:2], truth[0][2:])
            self.answer(("box" if truth else "none_missing") if task is Task.BOX_DRAWING else truth)
            expect(here).to_have_count(0)
        self.wait_for("summary")


def _truth(assignment: Assignment, task: Task, place: int) -> Any:
    """Of a question of the project itself: that the phrase means something, and all is well with it."""
    known = assignment.known.get(str(place))
    return KnownQuestion.objects.get(id=known).truth if known else TRUTHS[task][0]


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
        page.get_by_role("link", name=TASK_NAMES[task].capitalize()).click()
        expect(frame.get_by_text("Accept the HIT to begin")).to_be_visible()
        expect(frame.get_by_text("it begins with a short test")).to_be_visible()
        assert _rows() == before, "who only looks leaves no trace"
        page.get_by_role("button", name="Accept").click()
        expect(frame.locator("#work")).to_be_attached()
        assert frame.locator("body").evaluate(KEEPS) == "", "cookies and storage should be forbidden here"
        return Visitor(page, "", "", frame)

    def expect_back(self, page: Page) -> None:
        expect(page.frame_locator("iframe").get_by_role("heading", name="Submitted")).to_be_visible()


@dataclass
class ProlificSite:
    twin: ProlificTwin

    def __post_init__(self) -> None:
        self.side = ProlificSide(self.twin)

    def take(self, page: Page, task: Task) -> Visitor:
        page.goto(self.twin.participant(WHO).page)
        page.get_by_role("link", name=TASK_NAMES[task].capitalize()).click()
        return Visitor(page, "", "")

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
