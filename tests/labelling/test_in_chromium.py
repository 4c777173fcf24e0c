"""In a real browser: from an invitation to the first task and through all six, without a mouse, and in two tabs."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.labelling.conftest import Sit
from tests.support.browsers import new_context
from tests.support.labelling_page import LabellingPage
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of, worker
from tests.support.six_tasks import show, six_tasks
from workers.invitations import invite
from workers.messages import send_message
from workers.models import Message, Worker

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
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield opened
    context.close()
    assert problems == []


def fits(page: Page) -> bool:
    """Whether nothing sticks out at the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_from_the_invitation_to_the_tasks_by_keyboard(page: Page, project: Project) -> None:
    page.goto(f"/join/{invite(project_id=project.id, trusted=True).code}/")
    assert page.evaluate("scrollY") == 0, "the project, its tasks and their pay come first"
    assert fits(page)
    name = page.get_by_label("Name")
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


def test_the_keyboard_alone_answers_each_of_the_six_tasks_and_submits(sit: Sit) -> None:
    tab = sit(worker(six_tasks(), "ada"))
    said: dict[str, Any] = dict(zip(PROTOCOL_TASKS, ("same", "true", 1, None, "good", "all there"), strict=True))
    for task in reversed(PROTOCOL_TASKS):  # an answer may open another question of a later task
        tab.open(task)
        tab.wait_for_picture()
        if task is Task.BOX_DRAWING:
            tab.press("b", "e", "Shift+ArrowRight", "e", "ArrowUp")
            said[task] = {"box": tab.wait_for_box([50 + round(10 / tab.scale), 25, 150, 74])}
        tab.press("Enter" if task is Task.BOX_DRAWING else "1")
        tab.wait_for("summary")
        tab.press("Enter")
        tab.wait_for("sent")
    assert dict(Judgment.objects.filter(worker__name="ada").values_list("question__task", "answer")) == said


def test_out_and_in_again(page: Page, project: Project) -> None:
    code = invite(project_id=project.id).code
    page.goto(f"/join/{code}/")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    page.get_by_role("link", name="My work").first.click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("The name or the password is wrong.")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ada")
    assert fits(page)


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


pytestmark = pytest.mark.django_db(transaction=True)
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


def test_a_tab_says_that_another_one_has_sent_and_goes_on_with_other_questions(sit: Sit) -> None:
    first, second = two_tabs(sit, tell=True)
    second.press("3")
    assert "2 answers stored" in send(first, "1", "1")
    expect(second.page.get_by_role("heading", level=1)).to_have_text("Submitted in another tab or on another device")
    expect(second.page.get_by_text("The answers sent there count. Those in this tab were not sent.")).to_be_visible()
    assert second.draft() is None
    assert list(Judgment.objects.values_list("answer", flat=True)) == [1, 1]


def test_a_second_tab_whose_other_answers_were_not_stored_says_so(sit: Sit) -> None:
    first, second = two_tabs(sit, tell=False)
    send(first, "1", "1")
    said = send(second, "3", "3")
    assert "Already submitted" in said
    assert "The first submission counts. What you just sent differs from it and was not stored." in said
    assert "First submission: 2 answers stored" in said
    assert list(Judgment.objects.values_list("answer", flat=True)) == [1, 1]
