"""In a real browser: whoever reads German finds every page in German, and nothing is cut off on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pipeline.rules.tasks.task import Task
from tests.labelling.conftest import Sit
from tests.support.labelling_page import TWO_FRAMES, LabellingPage
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
ASKS = {
    Task.COREFERENCE_LINK: "Meinen A",
    Task.CHAIN_VERIFICATION: "in diesem Bild",
    Task.BOX_REQUIREMENT: "einen Rahmen zeichnen?",
    Task.BOX_DRAWING: "Zeichnen Sie",
    Task.BOX_QUALITY: "Ist der neue Rahmen gut",
    Task.BOX_COVERAGE: "Sind alle Rahmen da",
}
CUT_OFF = """() => [...document.querySelectorAll('button, a, p, h1, h2, h3, li, dt, dd, label, span')].filter(one => {
  const { left, right, width, height } = one.getBoundingClientRect();
  if (!one.checkVisibility() || width < 2 || height < 2 || one.closest('.unseen, .scroll, .skip')) return false;
  return left < -1 || right > innerWidth + 1 || (one.matches('button') && one.scrollWidth > one.clientWidth + 1);
}).map(one => one.textContent)"""
"""Texts that end outside of the window or of their button."""


@pytest.fixture
def tab(sit: Sit) -> LabellingPage:
    return sit(worker(six_tasks(), "ada"), locale="de-DE", viewport=DESK)


def check(page: Page) -> None:
    page.evaluate(TWO_FRAMES)  # the picture follows the window in the next one
    assert page.evaluate("document.documentElement.lang") == "de"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CUT_OFF) == []


def check_both(page: Page, folder: Path, name: str) -> None:
    """Check the page on a phone and on a desk, and keep pictures of both."""
    for window, size in (("phone", PHONE), ("desk", DESK)):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        check(page)
        page.screenshot(path=folder / f"{name} {window}.png")


def test_every_question_and_its_instructions_are_in_german(tab: LabellingPage, tmp_path: Path) -> None:
    for task, words in ASKS.items():
        tab.open(task)
        tab.wait_for_picture()
        expect(tab.page.locator("h1.ask")).to_contain_text(words)
        check_both(tab.page, tmp_path, task.value)
        tab.page.locator("[data-help]").click()
        expect(tab.page.get_by_role("dialog")).to_contain_text("So gehen Sie vor.")
        check_both(tab.page, tmp_path, f"{task.value} help")
        tab.page.keyboard.press("Escape")


def test_the_way_from_the_answer_to_the_receipt_is_in_german(tab: LabellingPage, tmp_path: Path) -> None:
    tab.open(Task.COREFERENCE_LINK)
    tab.wait_for_picture()
    tab.answer("same")
    tab.wait_for("summary")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Alle 1 beantwortet")
    check_both(tab.page, tmp_path, "summary")
    tab.wait_until_it_answers()
    tab.page.locator("[data-submit]").click()
    tab.wait_for("sent")
    expect(tab.page.get_by_role("status").filter(has_text="gespeichert")).to_be_visible()
    check_both(tab.page, tmp_path, "receipt")


def test_the_worker_s_own_pages_are_in_german(tab: LabellingPage, tmp_path: Path) -> None:
    for place in ("", "small/", "small/earned/", "small/messages/", "my-data/", "my-data/delete/"):
        tab.page.goto(f"{tab.address}/work/{place}")
        check_both(tab.page, tmp_path, place.replace("/", " ") or "home")


def test_the_choice_at_the_foot_changes_the_language_of_this_page_and_the_next(tab: LabellingPage) -> None:
    tab.page.goto(f"{tab.address}/work/small/")
    tab.page.get_by_role("button", name="English").click()
    expect(tab.page.get_by_role("heading", name="My work so far")).to_be_visible()
    tab.open(Task.BOX_QUALITY)
    expect(tab.page.locator("h1.ask")).to_contain_text("Is the new box good")
