"""From a platform's own site through all six tasks and back, in Chromium, up to the last cent.

Mechanical Turk shows our page in a frame of another site, where Chromium forbids cookies and storage. Prolific sends
its participants to us and gets them back by an address.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from pipeline.give_bonus import give_bonus
from pipeline.models import Assignment, Judgment
from pipeline.rules.settings import ProtocolSettings
from pipeline.rules.task import Task
from platforms.mturk.client import Turk
from platforms.recruit import begin_recruiting
from platforms.registry import find_platform
from platforms.sync import sync
from platforms.terms import Terms
from tests.platforms.mturk_side import MTurkSide
from tests.platforms.prolific_side import ProlificSide
from tests.support.being_tested import add_known
from tests.support.six_tasks import six_tasks
from tests.support.visitor import Visitor
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin
from workers.models import Movement, Offer, Session, Standing, Worker

# What a browser does with a page does not depend on the database.
pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db(transaction=True)]

WHO = "A1ANNANNANNANN"
REWARD, TIP = 50, 25
KEEPS = """() => {
  document.cookie = "kept=1; SameSite=None; Secure"
  try { localStorage.setItem("kept", "1"); return "storage" } catch { return document.cookie }
}"""
POLICY = "addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))"


class Site(Protocol):
    """A platform's site, in a worker's browser."""

    side: Any

    def find(self, page: Page, task: Task) -> Visitor:
        """From the list of what is offered to the labelling page."""

    def expect_back(self, page: Page) -> None:
        """The site says that it has what was handed in."""


@dataclass
class MTurkSite:
    twin: MTurkTwin

    def __post_init__(self) -> None:
        self.side = MTurkSide(self.twin)
        self.twin.worker(WHO, approved=500)

    def find(self, page: Page, task: Task) -> Visitor:
        frame = page.frame_locator("iframe")
        page.goto(f"{self.twin.url}/worker/{WHO}")
        page.get_by_role("link", name=task.label.capitalize()).click()
        before = rows()
        expect(frame.get_by_text("Accept the HIT to begin")).to_be_visible()
        assert rows() == before, "who only looks leaves no trace"
        page.get_by_role("button", name="Accept").click()
        expect(frame.locator("#work")).to_be_attached()
        assert frame.locator("body").evaluate(KEEPS) == "", "the browser is to forbid cookies and storage here"
        return Visitor(page, frame)

    def expect_back(self, page: Page) -> None:
        expect(page.frame_locator("iframe").get_by_role("heading", name="Submitted")).to_be_visible()


@dataclass
class ProlificSite:
    twin: ProlificTwin

    def __post_init__(self) -> None:
        self.side = ProlificSide(self.twin)

    def find(self, page: Page, task: Task) -> Visitor:
        page.goto(self.twin.participant(WHO).page)
        page.get_by_role("link", name=task.label.capitalize()).click()
        return Visitor(page, page)

    def expect_back(self, page: Page) -> None:
        expect(page.locator("#status")).to_have_text("AWAITING REVIEW")


def rows() -> list[int]:
    return [kind.objects.count() for kind in (Worker, Session, Assignment, Standing)]


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


SITES: dict[str, Callable[..., Any]] = {"mturk": mturk, "prolific": prolific}


@pytest.fixture(params=SITES)
def site(
    request: pytest.FixtureRequest, live_server: LiveServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """The twin is at 127.0.0.1; "localhost" is another site to a browser."""
    settings.ADDRESS = live_server.url.replace("127.0.0.1", "localhost")
    with SITES[request.param](settings, monkeypatch) as found:
        yield found


@pytest.fixture
def project(site: Site) -> Project:
    """All six tasks are open; two right answers make a test, two more a probation."""
    few, rewards = dict.fromkeys((task.value for task in Task), 2), dict.fromkeys((task.value for task in Task), REWARD)
    made = six_tasks(
        settings=ProtocolSettings(
            currency=site.side.currency, reward_cents=rewards, batch=few, test_questions=2, probation=2, probation_most=2
        )
    )
    add_known(made, tests=2, stock=4)
    begin_recruiting(find_platform(site.side.name), made.pk, Task, Terms(least=1, quota=2), actor="ada")
    return made


@dataclass
class Watched:
    """A browser of somebody's own, and what happens in it."""

    context: BrowserContext
    ours: str
    complaints: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.add_init_script(POLICY)
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.on("response", self._note)

    def _hear(self, message: ConsoleMessage) -> None:
        # The sites have no picture for the tab.
        if message.type == "error" and urlsplit(message.location["url"]).path != "/favicon.ico":
            self.complaints.append(message.text)

    def _note(self, answer: Response) -> None:
        if answer.url.startswith(self.ours):
            self.answers.append(answer)

    def cookies_of_ours(self) -> list[str]:
        """Those that were set, sent or kept."""
        heads = [head for one in self.answers for head in (one.request.all_headers(), one.all_headers())]
        moved = [head[name] for head in heads for name in ("cookie", "set-cookie") if name in head]
        return moved + [kept["name"] for kept in self.context.cookies(self.ours)]


@pytest.fixture
def browser(chromium: Browser, settings: Any, site: Site) -> Iterator[Watched]:
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    yield Watched(context, settings.ADDRESS)
    context.close()


def look(site: Site, project: Project) -> None:
    """A round of ours with the platform."""
    from workers.models import Recruitment

    found = sync(find_platform(site.side.name), Recruitment.objects.get(project_id=project.pk))
    assert found.troubles == []


def test_a_worker_comes_from_the_platform_does_each_task_and_is_paid(
    site: Site, project: Project, browser: Watched
) -> None:
    look(site, project)
    page = browser.context.new_page()
    for number, task in enumerate(Task):
        visitor = site.find(page, task)
        visitor.take_test()
        visitor.press("Go on")
        visitor.work()
        visitor.wait_for("sent")
        if number % 2:
            visitor.press("Hand in and finish")
        else:
            visitor.press("Go on")
            visitor.work()
        site.expect_back(page)
    give_bonus(
        worker_id=Worker.objects.get(identities__external_id=WHO).id,
        project_id=project.pk,
        cents=TIP,
        reason="Good work.",
        actor="ada",
    )
    look(site, project)

    assert browser.complaints == []
    assert browser.answers and browser.cookies_of_ours() == []
