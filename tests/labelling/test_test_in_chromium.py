"""In a real browser: a qualification test by keyboard alone, from the examples to the result."""

import pytest
from playwright.sync_api import expect

from pipeline.models import Assignment, Judgment
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.labelling.conftest import Sit
from tests.support.being_tested import BOX, TRUTHS, being_tested, newcomer
from tests.support.labelling_page import LabellingPage
from workers.models import TrustStatus


@pytest.fixture
def tab(sit: Sit) -> LabellingPage:
    return sit(newcomer(being_tested(), "ada"))


def begin(tab: LabellingPage, task: Task) -> None:
    """Through the rule and the examples."""
    tab.open(task, "learning")
    tab.press("Enter")
    tab.wait_for_picture()
    tab.press("ArrowRight", "ArrowRight", "Enter")
    tab.wait_for("asking")


def test_every_task_lets_its_examples_be_answered_and_then_asks(tab: LabellingPage) -> None:
    for task in PROTOCOL_TASKS:
        tab.open(task, "learning")
        expect(tab.page.locator(".test")).to_have_text("Qualification test")
        tab.press("Enter")
        for truth in TRUTHS[task]:
            tab.wait_for_picture()
            answer = ("box" if truth else "none_missing") if task is Task.BOX_DRAWING else truth
            if answer == "box":
                tab.drag((BOX[0], BOX[1]), (BOX[2], BOX[3]))
            tab.answer(answer)
            chosen = tab.page.locator('[aria-pressed="true"][data-answer]')
            expect(chosen).to_have_attribute("data-answer", str(answer))
            expect(chosen).to_be_disabled()
            tab.press("Enter")
        tab.press("Enter")
        tab.wait_for("asking")


def test_who_passes_goes_on_to_work_that_looks_like_any_other(tab: LabellingPage) -> None:
    begin(tab, Task.COREFERENCE_LINK)
    tab.press("1", "1")
    tab.wait_for("summary")
    tab.press("Enter")
    tab.wait_for("sent")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Test passed")
    expect(tab.page.get_by_role("main")).to_contain_text("1 of 2 right; 1 was needed.")
    tab.press("Enter")
    tab.wait_for("asking")
    expect(tab.page.locator(".test")).to_have_count(0)
    assert TrustStatus.objects.get(task="coreference_link").state == "probation"
    assert Judgment.objects.count() == 2


def test_who_fails_is_told_when_to_come_back_and_finds_the_same_at_home(tab: LabellingPage) -> None:
    begin(tab, Task.BOX_REQUIREMENT)
    tab.press("2", "2")
    said = tab.submit()
    assert "0 of 2 right; 1 was needed." in said and "You can take the test 2 more times, in 24 hours" in said
    tab.page.get_by_role("link", name="Home").click()
    expect(tab.page.locator(".offer", has_text="box requirement")).to_contain_text("You may take the test again from")
    tab.open(Task.BOX_REQUIREMENT, "error")
    expect(tab.page.get_by_role("alert")).to_contain_text("You may take the test again from")


def test_a_test_that_was_left_can_be_begun_again(tab: LabellingPage) -> None:
    begin(tab, Task.BOX_QUALITY)
    tab.page.get_by_role("button", name="Leave the test").click()
    tab.page.get_by_role("button", name="Leave it").click()
    tab.wait_for("empty")
    assert Assignment.objects.get().state == "returned"


def test_the_examples_are_there_again_in_the_middle_of_a_drawing(tab: LabellingPage) -> None:
    begin(tab, Task.BOX_DRAWING)
    tab.wait_for_picture()
    tab.press("b")
    drawn = tab.box
    tab.press("?")
    tab.page.get_by_role("button", name="Try the examples").click()
    tab.wait_for("learning")
    assert tab.box is None
    tab.press("ArrowRight", "ArrowRight", "Enter")
    tab.wait_for("asking")
    assert tab.box == drawn
