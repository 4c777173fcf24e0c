"""In a real browser: a newcomer's first minute in each task, from the rule to the first answer, and the test."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.labelling.conftest import Sit
from tests.support.being_tested import BOX, TRUTHS, WHY, being_tested, newcomer
from tests.support.labelling_page import LabellingPage
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks
from workers.models import TrustStatus

TITLES = {
    Task.COREFERENCE_LINK: "The same thing or not?",
    Task.CHAIN_VERIFICATION: "All the same thing?",
    Task.BOX_REQUIREMENT: "Is there something to draw a box around?",
    Task.BOX_DRAWING: "Draw one box",
    Task.BOX_QUALITY: "Is the new box good?",
    Task.BOX_COVERAGE: "Are all boxes there?",
}
GESTURES = {
    Task.COREFERENCE_LINK: "what A means, then what B means",
    Task.CHAIN_VERIFICATION: "Read every marked phrase",
    Task.BOX_REQUIREMENT: "press one of the three answers",
    Task.BOX_DRAWING: "drag to the opposite corner",
    Task.BOX_QUALITY: "Follow the four sides of the new box",
    Task.BOX_COVERAGE: "does each have a box?",
}
FIRST: dict[Task, tuple[Any, Any]] = {
    Task.COREFERENCE_LINK: ("same", "different"),
    Task.CHAIN_VERIFICATION: ("true", "false"),
    Task.BOX_REQUIREMENT: (1, 3),
    Task.BOX_QUALITY: ("good", "bad"),
    Task.BOX_COVERAGE: ("all there", "more needed"),
}
"""The right answer to the first example of the page itself, and a wrong one."""
MAN = (480, 40, 720, 720)
"""Around the man of the first example in drawing."""


def test_a_newcomer_to_each_task_reads_the_rule_tries_an_example_wrongly_and_rightly_and_is_asked(sit: Sit) -> None:
    tab = sit(worker(six_tasks(), "ada"))
    main, verdict, dialog = tab.page.get_by_role("main"), tab.page.locator(".verdict"), tab.page.get_by_role("dialog")
    for task in PROTOCOL_TASKS:
        tab.open(task, "learning", met=False)
        expect(main.get_by_role("heading", level=1)).to_have_text(TITLES[task])
        expect(main).to_contain_text(GESTURES[task])
        tab.page.get_by_role("button", name="Try the examples").click()
        tab.wait_for_picture()
        expect(verdict).to_have_count(0)
        _answer(tab, task, right=False)
        expect(verdict).to_contain_text("✗ Not right. You")
        expect(verdict).to_be_in_viewport()
        expect(tab.page.locator(".verdict + p")).to_have_text(re.compile(r".{10,}"))
        tab.open(task, "learning", met=False)
        tab.press("Enter")
        tab.wait_for_picture()
        _answer(tab, task, right=True)
        expect(verdict).to_contain_text("✓ Right.")
        tab.page.get_by_role("button", name="Skip the examples").click()
        tab.wait_for("asking")
        tab.wait_for_picture()
        tab.page.reload()
        tab.wait_for("asking")
        # Under the strict policy no part of a screen makes the browser complain: `sit` listens.
        for key in ("?", "s"):
            tab.press(key)
            expect(dialog).to_be_visible()
            tab.press("Escape")
            expect(dialog).to_have_count(0)
        tab.press("c")
        comment = tab.page.get_by_label("Comment", exact=True)
        expect(comment).to_be_focused()
        tab.type("hm")
        expect(comment).to_have_value("hm")
        tab.press("Escape", "+", "0")
        assert Assignment.objects.filter(worker__name="ada", task=task, state="active").count() == 1


def _answer(tab: LabellingPage, task: Task, *, right: bool) -> None:
    if task is not Task.BOX_DRAWING:
        tab.answer(FIRST[task][0 if right else 1])
        return
    x0, y0, x1, y1 = MAN if right else (480, 500, 720, 720)
    tab.drag((x0, y0), (x1, y1))
    tab.answer("box")


def test_who_draws_too_small_in_an_example_sees_the_right_box_beside_their_own(sit: Sit) -> None:
    tab = sit(worker(six_tasks(), "ada"))
    tab.open(Task.BOX_DRAWING, "learning", met=False)
    tab.press("Enter")
    tab.wait_for_picture()
    _answer(tab, Task.BOX_DRAWING, right=False)
    expect(tab.page.locator(".verdict")).to_contain_text(
        "You drew a box that cuts something off. Compare your box with"
    )
    tab.wait_for_box([480, 500, 720, 720])
    expect(tab.page.locator(".stage .box.accepted")).to_have_count(1)
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Draw one box for “A man”")


def test_a_guest_reads_the_rule_of_each_task_once(sit: Sit, settings: Any) -> None:
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True
    project = six_tasks(settings=ProtocolSettings(guests_trusted=True))
    tab = sit(worker(project, "ada"))
    tab.page.context.clear_cookies()
    tab.page.goto(f"{tab.address}/projects/small/")
    tab.page.get_by_role("button", name="Try it as a worker").click()
    tab.page.wait_for_url("**/work/small/")
    for task in (Task.BOX_QUALITY, Task.BOX_COVERAGE):
        tab.open(task, "learning", met=False)
        tab.page.locator("[data-start]").click()
        tab.wait_for("asking")
        tab.page.reload()
        tab.wait_for("asking")


def test_the_project_s_own_examples_come_before_its_test(sit: Sit) -> None:
    tab = sit(newcomer(being_tested(), "ada"))
    tab.open(Task.BOX_REQUIREMENT, "learning", met=False)
    tab.press("Enter")
    for truth, why in zip(TRUTHS[Task.BOX_REQUIREMENT], WHY, strict=True):
        tab.wait_for_picture()
        tab.answer(truth)
        expect(tab.page.locator(".verdict + p")).to_have_text(why)
        tab.press("Enter")
    expect(tab.page.get_by_role("main")).to_contain_text("2 of 2 examples right.")
    tab.press("Enter")
    tab.wait_for("asking")


def test_a_failed_test_says_what_kind_of_mistake_was_made_and_not_where(sit: Sit) -> None:
    project = being_tested()
    KnownQuestion.objects.filter(task="box_quality", purpose="test").update(truth="bad")
    tab = sit(newcomer(project, "ada"))
    tab.open(Task.BOX_QUALITY, "learning", met=False)
    tab.press("Enter")
    tab.wait_for_picture()
    tab.press("ArrowRight", "ArrowRight", "Enter")
    tab.wait_for("asking")
    tab.press("1", "1")
    said = tab.submit()
    assert "You called a box good that cuts something off" in said
    assert "More than once:" in said and "uestion" not in said


def test_a_box_drawn_in_an_example_is_not_in_the_draft_of_the_work(sit: Sit) -> None:
    tab = sit(newcomer(being_tested(), "ada"))
    tab.open(Task.BOX_DRAWING, "learning", met=False)
    tab.press("Enter")
    tab.wait_for_picture()
    tab.drag((BOX[0], BOX[1]), (BOX[2], BOX[3]))
    tab.press("Enter")
    expect(tab.page.locator(".verdict")).to_contain_text("✓ Right.")
    draft = tab.draft()
    assert draft is not None and all(entry["answer"] is None for entry in draft["entries"])


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
    drawn = tab.wait_for_box([50, 25, 150, 75])
    tab.press("?")
    tab.page.get_by_role("button", name="Try the examples").click()
    tab.wait_for("learning")
    tab.wait_for_no_box()
    tab.press("ArrowRight", "ArrowRight", "Enter")
    tab.wait_for("asking")
    tab.wait_for_box(drawn)
