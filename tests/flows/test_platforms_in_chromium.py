"""From a platform's own site through all six tasks and back, in Chromium, up to the last cent.

Mechanical Turk shows our page in a frame of another site, where Chromium forbids cookies and storage. Prolific sends
its participants to us, and gets them back by an address.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.money.amounts import in_words
from pipeline.money.give_bonus import give_bonus
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from platforms.contract.terms import Terms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import begin_recruiting
from platforms.registry import find_platform
from platforms.sync import sync
from tests.support.being_tested import add_known
from tests.support.browsers import new_context
from tests.support.sites import WHO, Site, mturk, prolific
from tests.support.six_tasks import six_tasks
from tests.support.watched import Watched
from workers.models import Worker

pytestmark = pytest.mark.django_db(transaction=True)

REWARD, TIP = 50, 25
FEW = 2
"""Questions in a test, in a probation and in an assignment."""
SITES: dict[str, Callable[..., AbstractContextManager[Site]]] = {"mturk": mturk, "prolific": prolific}


@pytest.fixture(params=SITES)
def site(
    request: pytest.FixtureRequest, live_server: LiveServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """The twins are at 127.0.0.1: to a browser another site than "localhost"."""
    settings.ADDRESS = live_server.url.replace("127.0.0.1", "localhost")
    with SITES[request.param](settings, monkeypatch) as found:
        yield found


@pytest.fixture
def recruitment(site: Site) -> Recruitment:
    """Of each task one question is open, and a stock for tests and probations is there."""
    protocol = ProtocolSettings(
        currency=site.side.currency,
        reward_cents=dict.fromkeys((task.value for task in PROTOCOL_TASKS), REWARD),
        batch=dict.fromkeys((task.value for task in PROTOCOL_TASKS), FEW),
        test_questions=FEW,
        probation=FEW,
        probation_most=FEW,
        trusted_rate=0.0,
    )
    project = six_tasks(settings=protocol)
    add_known(project, tests=FEW, stock=FEW)
    platform = find_platform(site.side.name)
    return begin_recruiting(platform, project.pk, PROTOCOL_TASKS, Terms(least=1, quota=2), actor="ada")


@pytest.fixture
def browser(request: pytest.FixtureRequest, site: Site, settings: Any) -> Iterator[Watched]:
    """Only the whole Chromium forbids a frame of another site to keep anything."""
    chromium: Browser = request.getfixturevalue("whole_chromium" if site.side.name == "mturk" else "chromium")
    context = new_context(chromium, viewport={"width": 1000, "height": 800})
    yield Watched(context, settings.ADDRESS)
    context.close()


def look(recruitment: Recruitment) -> None:
    """A round with the platform."""
    assert sync(find_platform(recruitment.platform), recruitment).failures == []


def come_new(site: Site, page: Page, task: Task, assignments: int) -> None:
    """The test, and so many assignments. The last one that a session may have hands it in by itself."""
    visitor = site.take(page, task)
    visitor.take_test()
    for _ in range(assignments):
        visitor.click("Continue")
        visitor.work()
    if assignments < 2:
        visitor.click("Hand in and finish")
    site.expect_back(page)


def come_again(site: Site, page: Page, task: Task) -> None:
    """They have passed the test, and find work."""
    visitor = site.take(page, task)
    visitor.work()
    visitor.click("Hand in and finish")
    site.expect_back(page)


def test_a_worker_comes_from_a_platform_does_each_task_goes_back_and_is_paid(
    site: Site, recruitment: Recruitment, browser: Watched
) -> None:
    """Probation is known questions only: three tasks go on to real ones at once, three when they are offered again."""
    page = browser.context.new_page()
    look(recruitment)
    at_once, later = list(PROTOCOL_TASKS)[::2], list(PROTOCOL_TASKS)[1::2]
    for task in PROTOCOL_TASKS:
        come_new(site, page, task, assignments=2 if task in at_once else 1)
    who = Worker.objects.get(identities__external_id=WHO)
    give_bonus(worker_id=who.pk, project_id=recruitment.project_id, cents=TIP, reason="Good work.", actor="ada")
    look(recruitment)
    for task in later:
        come_again(site, page, task)
    look(recruitment)

    done = Judgment.objects.filter(worker=who, question__isnull=False).values_list("question__task", flat=True)
    # The answers given at once open a second question of verification and of coverage. A third one is for drawing the
    # chain whose requirement the worker has just judged: that question is for others.
    assert sorted(done) == sorted([*PROTOCOL_TASKS, Task.CHAIN_VERIFICATION, Task.BOX_COVERAGE])
    check_sessions(Session.objects.filter(worker=who).order_by("id"))
    # Each session pays its reward; in three of them one question more was answered, half an assignment.
    check_money(site, recruitment, 9 * REWARD + 3 * REWARD // 2 + TIP)
    assert browser.complaints == []
    assert browser.answers and browser.cookies_of_ours() == []


def check_sessions(sessions: Any) -> None:
    """All are settled, and what comes beyond the rewards was paid before."""
    kinds = [Offer.Kind.ENTRY] * 6 + [Offer.Kind.WORK] * 3
    assert [(one.offer.kind, one.state, one.platform_state) for one in sessions] == [
        (kind, Session.State.FINISHED, Session.PlatformState.APPROVED) for kind in kinds
    ]
    said = Payment.objects.order_by("sent_at").values_list("kind", "state")
    assert list(said) == [("bonus", "done"), *[("approve", "done")] * 9]


def check_money(site: Site, recruitment: Recruitment, cents: int) -> None:
    """The platform's own books, and ours."""
    assert site.side.paid() == cents
    told = StringIO()
    call_command("reconcile", site.side.name, Project.objects.get(id=recruitment.project_id).name, stdout=told)
    amount = in_words(cents, site.side.currency)
    assert f"1 workers were paid {amount} on the platform; the ledger says {amount}." in told.getvalue()
