"""The dashboard and the page of alerts in Chromium: drawn, live, without faults that axe finds."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from campaign.dashboard.figures.refresh import refresh_figures
from campaign.models import AlertChannel
from members.models import Role
from pipeline.rules.tasks.task import Task
from tests.campaign.conftest import Desk
from tests.support.axe import violations
from tests.support.members import sign_in
from tests.support.projects import answer, worker
from tests.support.six_tasks import six_tasks

LIVE = "**/live/"
PAUSE = 15_000
"""Milliseconds, longer than the page waits between two requests for numbers."""


@pytest.fixture
def project(transactional_db: None) -> Project:
    made = six_tasks()
    answer(made, worker(made, "ada"), Task.BOX_REQUIREMENT, 1)
    refresh_figures(made.pk)
    return made


@pytest.fixture
def page(project: Project, client: Client, desk: Desk) -> Page:
    """A requester's browser, once the page follows the work. What the page complains about fails the test."""
    sign_in(client, project, Role.REQUESTER)
    opened = desk("/projects/small/dashboard/", before=lambda page: page.clock.install())
    opened.locator("[data-chart] canvas").first.wait_for(state="attached")
    return opened


@pytest.mark.smoke
def test_charts_are_drawn_over_their_tables_and_axe_finds_no_fault(page: Page, project: Project) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    expect(page.locator("[data-chart] canvas")).to_have_count(page.locator("[data-chart]").count())
    found = violations(page)
    AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="x", kinds=["review"])
    for path in ("../alerts/", "../dashboard/words/"):
        page.goto(page.url + path)
        found += violations(page)
        page.go_back()
    assert found == []


def test_on_a_phone_no_entry_of_the_menu_nor_anything_else_stands_outside(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")  # charts follow a frame later
    entries = page.get_by_role("navigation", name="Pages of the project").get_by_role("link")
    assert entries.count() == 8
    assert entries.evaluate_all("all => all.every(one => one.getBoundingClientRect().right <= innerWidth)")


def test_the_numbers_follow_while_the_tab_is_looked_at_and_rest_while_it_is_hidden(
    page: Page, project: Project
) -> None:
    Chain.objects.filter(image__project=project).update(state=ChainState.REVIEW.value, review="cycling", non_visual="")
    total = Chain.objects.filter(image__project=project).count()
    with page.expect_response(LIVE):
        page.clock.fast_forward(PAUSE)
    page.get_by_text("The six tasks: chains in each state").click()
    expect(page.locator('.machine [data-live="chain.review"]')).to_have_text(str(total))
    expect(page.get_by_role("link", name="Chains wait for an expert")).to_be_visible()
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/live/") else None)
    page.clock.fast_forward(3 * PAUSE)
    assert asked == []
    with page.expect_response(LIVE):  # at once: were one asked for while hidden, it would have come before
        page.evaluate("delete document.hidden")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert len(asked) == 1
