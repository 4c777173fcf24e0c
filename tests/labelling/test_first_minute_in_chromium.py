"""In Chromium: a newcomer's rules, examples and test, all six tasks without a mouse, and two tabs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, FloatRect, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from tests.labelling.conftest import Sit
from tests.support.being_tested import BOX, TRUTHS, WHY, being_tested
from tests.support.browsers import new_context
from tests.support.labelling_page import LabellingPage, complaints
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of, worker
from tests.support.six_tasks import show, six_tasks
from tests.support.trusting import newcomer
from workers.invitations import invite
from workers.messages import send_message
from workers.models import Message, TrustStatus, Worker

TITLES = {
    Task.COREFERENCE_LINK: "The same thing or not?", Task.CHAIN_VERIFICATION: "All the same thing?",
    Task.BOX_REQUIREMENT: "Is there something to draw a box around?", Task.BOX_DRAWING: "Draw one box",
    Task.BOX_QUALITY: "Is the new box good?", Task.BOX_COVERAGE: "Are all boxes there?",
}  # fmt: skip
GESTURES = {
    Task.COREFERENCE_LINK: "what A means, then what B means",
    Task.CHAIN_VERIFICATION: "Read every marked phrase",
    Task.BOX_REQUIREMENT: "press one of the three answers",
    Task.BOX_DRAWING: "drag to the opposite corner",
    Task.BOX_QUALITY: "Follow the four sides of the new box",
    Task.BOX_COVERAGE: "does each have a box?",
}
FIRST: dict[Task, tuple[Any, Any]] = {
    Task.COREFERENCE_LINK: ("same", "different"), Task.CHAIN_VERIFICATION: ("true", "false"),
    Task.BOX_REQUIREMENT: (1, 3), Task.BOX_QUALITY: ("good", "bad"),
    Task.BOX_COVERAGE: ("all there", "more needed"),
}  # fmt: skip
"""The right answer to the first example of the page itself, and a wrong one."""
MAN = (480, 40, 720, 720)
"""Around the man of the first example in drawing."""


def _returns(tab: LabellingPage, place: FloatRect) -> bool:
    """Tell whether a press in the middle of this place would return the work."""
    middle = [place["x"] + place["width"] / 2, place["y"] + place["height"] / 2]
    found = tab.page.evaluate("at => Boolean(document.elementFromPoint(...at)?.closest('[data-open=return]'))", middle)
    return bool(found)


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
        skip = tab.page.get_by_role("button", name="Skip the examples")
        place = skip.bounding_box()
        skip.click()
        tab.wait_for("asking")
        assert place is not None and not _returns(tab, place)
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
    tab = sit(worker(six_tasks(settings=Settings(guests_trusted=True)), "ada"))
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


def test_a_failed_test_says_what_kind_of_mistake_was_made_and_not_where(sit: Sit) -> None:
    project = being_tested()
    KnownQuestion.objects.filter(task="box_quality", purpose="test").update(truth="bad")
    tab = sit(newcomer(project, "ada", *PROTOCOL_TASKS))
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
    tab = sit(newcomer(being_tested(), "ada", *PROTOCOL_TASKS))
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
    return sit(newcomer(being_tested(), "ada", *PROTOCOL_TASKS))


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
        for truth, why in zip(TRUTHS[task], WHY, strict=True):
            tab.wait_for_picture()
            answer = ("box" if truth else "none_missing") if task is Task.BOX_DRAWING else truth
            if answer == "box":
                tab.drag((BOX[0], BOX[1]), (BOX[2], BOX[3]))
            tab.answer(answer)
            chosen = tab.page.locator('[aria-pressed="true"][data-answer]')
            expect(chosen).to_have_attribute("data-answer", str(answer))
            expect(chosen).to_be_disabled()
            expect(tab.page.locator(".verdict + p")).to_have_text(why)
            tab.press("Enter")
        expect(tab.page.get_by_role("main")).to_contain_text("2 of 2 examples right.")
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
    expect(tab.page.locator(".offer", has_text="box or no box")).to_contain_text("You may take the test again from")
    tab.open(Task.BOX_REQUIREMENT, "error")
    expect(tab.page.get_by_role("alert")).to_contain_text("You may take the test again from")


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


PASSWORD = "engine and loom"


@pytest.fixture
def project(transactional_db: None, settings: Any) -> Project:
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True
    made = project_of(phrases("people: a man"))
    made.images.update(picture="")  # there is no file: the gallery must not ask for it
    return made


@pytest.fixture
def page(project: Project, chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    context = new_context(chromium, viewport={"width": 390, "height": 800}, base_url=live_server.url)
    opened = context.new_page()
    problems = complaints(opened)
    yield opened
    context.close()
    assert problems == []


def fits(page: Page) -> bool:
    """Whether nothing sticks out at the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.django_db(transaction=True)
def test_from_the_invitation_to_the_tasks_by_keyboard(page: Page, project: Project) -> None:
    page.goto(f"/join/{invite(project_id=project.id, trusted=True).code}/")
    assert page.evaluate("scrollY") == 0, "the project, its tasks and their pay come first"
    assert fits(page)
    name = page.get_by_label("Username")
    for _ in range(20):
        if name.evaluate("one => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    for text in ("ada", "", PASSWORD, PASSWORD):  # no address for mail
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Join")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("small")
    expect(page.locator(".offer")).to_have_count(6)
    expect(page.get_by_role("link", name="Start")).to_have_count(1)
    assert fits(page)


@pytest.mark.smoke
@pytest.mark.django_db(transaction=True)
def test_the_keyboard_alone_answers_each_of_the_six_tasks_and_submits(sit: Sit) -> None:
    tab = sit(worker(six_tasks(), "ada"))
    said: dict[str, Any] = dict(zip(PROTOCOL_TASKS, ("same", "true", 1, None, "good", "all there"), strict=True))
    for task in reversed(PROTOCOL_TASKS):  # an answer may open another question of a later task
        tab.ask(task)
        if task is Task.BOX_DRAWING:
            tab.press("b", "e", "Shift+ArrowRight", "e", "ArrowUp")
            said[task] = {"box": tab.wait_for_box([50 + round(10 / tab.scale), 25, 150, 74])}
        tab.press("Enter" if task is Task.BOX_DRAWING else "1")
        tab.wait_for("summary")
        tab.press("Enter")
        tab.wait_for("sent")
    assert dict(Judgment.objects.filter(worker__name="ada").values_list("question__task", "answer")) == said


@pytest.mark.django_db(transaction=True)
def test_a_guest_reads_a_message(page: Page, project: Project) -> None:
    page.goto("/")
    assert fits(page)
    page.get_by_role("button", name="Try it as a worker").click()
    expect(page.locator(".offer")).to_have_count(6)
    send_message(text="well done", worker_ids=[Worker.objects.get().id], project_id=project.id)
    page.reload()
    page.get_by_role("button", name="I have read it").click()
    expect(page.get_by_role("button", name="I have read it")).to_have_count(0)
    page.get_by_text("Messages you have read").click()
    expect(page.get_by_text("well done")).to_be_visible()
    assert Message.objects.get().read_at is not None


REQUIRE = Task.BOX_REQUIREMENT
NO_CHANNEL = "window.BroadcastChannel = class { constructor() { throw new Error('forbidden') } }"


def two_tabs(sit: Sit, *, tell: bool) -> tuple[LabellingPage, LabellingPage]:
    """Two tabs of one browser with the same two questions. `tell`: they hear of each other."""
    project = project_of(*(phrases(text, name=text[-3:]) for text in ("other: a ball", "other: a bat")))
    show(project, plain_jpeg(200, 100))
    first = sit(worker(project, "ada"))
    second = LabellingPage(first.page.context.new_page(), first.address, "small")
    for tab in (first, second):
        if not tell:
            tab.page.add_init_script(NO_CHANNEL)
            tab.page.route("**/draft/", lambda route: route.abort())
        tab.open(REQUIRE)
    return first, second


def send(tab: LabellingPage, *keys: str) -> str:
    tab.page.bring_to_front()
    tab.press(*keys)
    return tab.submit()


@pytest.mark.django_db(transaction=True)
def test_a_tab_says_that_another_one_has_sent_and_goes_on_with_other_questions(sit: Sit) -> None:
    first, second = two_tabs(sit, tell=True)
    second.press("3")
    assert "2 answers stored" in send(first, "1", "1")
    expect(second.page.get_by_role("heading", level=1)).to_have_text("Submitted in another tab or on another device")
    expect(second.page.get_by_text("The answers sent there count. Those in this tab were not sent.")).to_be_visible()
    assert second.draft() is None
    assert list(Judgment.objects.values_list("answer", flat=True)) == [1, 1]


@pytest.mark.django_db(transaction=True)
def test_a_second_tab_whose_other_answers_were_not_stored_says_so(sit: Sit) -> None:
    first, second = two_tabs(sit, tell=False)
    send(first, "1", "1")
    said = send(second, "3", "3")
    assert "Already submitted" in said
    assert "The first submission counts. What you just sent differs from it and was not stored." in said
    assert "First submission: 2 answers stored" in said
    assert list(Judgment.objects.values_list("answer", flat=True)) == [1, 1]
