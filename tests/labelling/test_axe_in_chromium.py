"""In Chromium: axe finds no fault on any page, and nothing is cut off in German or too small for a finger."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Project
from pipeline.models import LedgerEntry
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task
from pipeline.record.intervene import report_problem
from simulation.scenes.scene import write_source
from tests.labelling.conftest import Sit, with_account
from tests.projects.gallery.conftest import make_project
from tests.support.axe import FEW_LOOKS, violations
from tests.support.being_tested import being_tested
from tests.support.labelling_page import TWO_FRAMES, LabellingPage
from tests.support.members import maker
from tests.support.projects import answer, worker
from tests.support.six_tasks import six_tasks
from tests.support.surveys import scene_survey
from tests.support.trusting import newcomer
from workers.change_trust import change_trust
from workers.invitations import invite
from workers.messages import send_message
from workers.models import Worker
from workers.rules.trust_states import TrustEvent


@pytest.fixture
def project(transactional_db: None, settings: Any) -> Project:
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True
    return six_tasks()


def test_the_gallery(sit: Sit, project: Project, ada: Worker, tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", seed=1, count=1)
    drawn = make_project(tmp_path / "scenes").images.get()
    doubtful = project.images.get(name="requirement")
    report_problem(image_id=doubtful.id, what="mention", number=0, worker_id=None, actor="eve", expert=True)
    ada.user = maker("ada")
    ada.save()
    visitor, expert = sit(worker(project, "bob")), sit(ada)
    found = []
    for tab, path in (
        (visitor, "/"),
        (visitor, "/projects/drawn/"),
        (visitor, f"/projects/drawn/images/{drawn.id}/"),
        (visitor, "/projects/small/review/"),
        (expert, f"/projects/drawn/images/{drawn.id}/"),
        (expert, f"/projects/small/images/{doubtful.id}/"),
    ):
        tab.page.goto(tab.address + path)
        found += violations(tab.page)
    assert found == []


def test_the_pages_of_workers(sit: Sit, project: Project, ada: Worker) -> None:
    with_account(ada, password="engine and loom")
    send_message(text="well done", worker_ids=[ada.id], project_id=project.id)
    answer(project, ada, Task.BOX_REQUIREMENT, 1)
    tab, code = sit(ada), invite(project_id=project.id).code
    found = []
    for path in ("/work/", "/work/small/", "/account/password/change/", f"/join/{code}/"):
        tab.page.goto(tab.address + path)
        found += violations(tab.page)
    tab.page.context.clear_cookies()
    for path in ("/account/login/", f"/join/{code}/", "/join/none/"):
        tab.page.goto(tab.address + path)
        found += violations(tab.page)
    tab.page.goto(tab.address + "/account/login/")
    tab.page.get_by_label("Username").fill("nobody")
    tab.page.get_by_label("Password").fill("nothing")
    tab.page.get_by_role("button", name="Sign in").click()
    expect(tab.page.get_by_role("alert")).to_be_visible()
    assert found + violations(tab.page) == []


def test_the_pages_of_who_is_barred_suspended_or_paid(sit: Sit, project: Project, ada: Worker) -> None:
    place: dict[str, Any] = {"worker_id": ada.id, "project_id": project.id}
    change_trust(**place, task="box_quality", event=TrustEvent.BAR, because="one button", actor="eve")
    end = timezone.now() + timedelta(days=3)
    change_trust(**place, task="box_drawing", event=TrustEvent.SUSPEND, because="a pause", actor="eve", until=end)
    LedgerEntry.objects.create(**place, kind="bonus", cents=150, reason="careful", created_at=timezone.now())
    tab, found = sit(ada), []
    for path in ("/work/", "/work/small/", "/work/small/earned/"):
        tab.page.goto(tab.address + path)
        found += violations(tab.page)
    tab.open(Task.BOX_QUALITY, "error")
    assert found + violations(tab.page) == []


def test_a_qualification_test(sit: Sit) -> None:
    tab = sit(newcomer(being_tested(), "ada", *PROTOCOL_TASKS))
    tab.page.goto(f"{tab.address}/work/small/")
    found = violations(tab.page)
    tab.open(Task.BOX_DRAWING, "learning")
    found += violations(tab.page)
    tab.press("Enter")
    for _ in range(2):
        tab.wait_for_picture()
        found += violations(tab.page)
        tab.press("b", "Enter")
        found += violations(tab.page)
        tab.press("Enter")
    found += violations(tab.page)
    tab.press("Enter")
    tab.wait_for("asking")
    found += violations(tab.page)
    tab.press("n", "n")
    tab.submit()
    assert found + violations(tab.page) == []


def test_the_screen_of_every_task(sit: Sit, ada: Worker) -> None:
    tab = sit(ada)
    found = []
    for task in PROTOCOL_TASKS:
        tab.open(task, "learning", met=False)
        found += violations(tab.page)
        tab.page.locator("[data-start]").click()
        tab.wait_for("asking")
        tab.wait_for_picture()
        tab.wait_until_it_answers()
        found += violations(tab.page)
        tab.press("?")
        expect(tab.page.get_by_role("dialog")).to_be_visible()
        found += violations(tab.page)
    assert found == []


def test_dialogs_a_comment_and_a_drawn_box(sit: Sit, ada: Worker) -> None:
    tab = sit(ada)
    tab.ask(Task.BOX_DRAWING)
    found, dialog = [], tab.page.get_by_role("dialog")
    for name in ("skip", "report", "return"):
        tab.page.locator(f'[data-open="{name}"]').click()
        expect(dialog).to_be_visible()
        found += violations(tab.page)
        tab.press("Escape")
        expect(dialog).to_have_count(0)
    tab.press("b", "#", "c")
    comment = tab.page.get_by_label("Comment", exact=True)
    expect(comment).to_be_focused()
    tab.type("hm")
    expect(comment).to_have_value("hm")
    expect(tab.page.get_by_label("Bottom")).to_be_visible()
    assert found + violations(tab.page) == []


def test_every_end(sit: Sit, ada: Worker) -> None:
    tab = sit(ada)
    tab.page.clock.install()
    tab.open(Task.BOX_DRAWING)
    tab.press("b")
    tab.page.clock.fast_forward(31 * 60_000)
    expect(tab.page.locator(".notice.ended")).to_be_visible()
    found = violations(tab.page)
    tab.page.get_by_role("button", name="Submit now").click()
    tab.wait_for("summary")
    found += violations(tab.page)
    tab.page.context.set_offline(True)
    tab.wait_until_it_answers()
    tab.page.locator("[data-submit]").click()
    expect(tab.page.locator(".notice.offline")).to_be_visible()
    found += violations(tab.page)
    tab.page.context.set_offline(False)
    tab.wait_for("sent")
    found += violations(tab.page)
    tab.open(Task.CHAIN_VERIFICATION)
    tab.press("1")
    tab.submit()
    tab.press("Enter")
    tab.wait_for("empty")
    found += violations(tab.page)
    assert found == []


def test_signed_out(sit: Sit, ada: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.tokens.MOST_SECONDS", -1)
    tab = sit(ada)
    tab.open(Task.BOX_QUALITY, state="error")
    assert violations(tab.page) == []


PHONE, DESK = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
ASKS = {
    Task.COREFERENCE_LINK: "Meinen A", Task.CHAIN_VERIFICATION: "in diesem Bild",
    Task.BOX_REQUIREMENT: "einen Rahmen zeichnen?", Task.BOX_DRAWING: "Zeichnen Sie",
    Task.BOX_QUALITY: "Ist der neue Rahmen gut", Task.BOX_COVERAGE: "Sind alle Rahmen da",
}  # fmt: skip
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
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and page.evaluate(CUT_OFF) == []


def check_both(page: Page, folder: Path, name: str) -> None:
    """Check the page on a phone and on a desk, keep pictures of both, and look for the faults that axe finds."""
    for window, size in (("phone", PHONE), ("desk", DESK)):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        check(page)
        page.screenshot(path=folder / f"{name} {window}.png")
    assert violations(page, FEW_LOOKS, unfold=False) == []


def test_every_question_and_its_instructions_are_in_german(tab: LabellingPage, tmp_path: Path) -> None:
    for task, words in ASKS.items():
        tab.ask(task)
        expect(tab.page.locator("h1.ask")).to_contain_text(words)
        check_both(tab.page, tmp_path, task.value)
        tab.page.locator("[data-help]").click()
        expect(tab.page.get_by_role("dialog")).to_contain_text("So gehen Sie vor.")
        check_both(tab.page, tmp_path, f"{task.value} help")
        tab.page.keyboard.press("Escape")


def test_the_way_from_the_answer_to_the_receipt_is_in_german(tab: LabellingPage, tmp_path: Path) -> None:
    tab.ask(Task.COREFERENCE_LINK)
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
    ada = Worker.objects.get(name="ada")
    project = Project.objects.get(name="small")
    place: dict[str, Any] = {"worker_id": ada.pk, "project_id": project.pk}
    change_trust(**place, task="box_quality", event=TrustEvent.BAR, because="one button", actor="eve")
    end = timezone.now() + timedelta(days=3)
    change_trust(**place, task="box_drawing", event=TrustEvent.SUSPEND, because="a pause", actor="eve", until=end)
    send_message(text="gut gemacht", worker_ids=[ada.pk], project_id=project.pk)
    paths = [
        f"/work/{name}" for name in ("", "small/", "small/earned/", "small/messages/", "my-data/", "my-data/delete/")
    ]
    for path in (*paths, f"/join/{invite(project_id=project.pk).code}/"):
        tab.page.goto(tab.address + path)
        check_both(tab.page, tmp_path, path.strip("/").replace("/", " "))
    tab.page.context.clear_cookies()
    for path in ("/account/login/", "/account/password/reset/", "/join/none/"):
        tab.page.goto(tab.address + path)
        check_both(tab.page, tmp_path, path.strip("/").replace("/", " "))


def test_the_choice_at_the_foot_changes_the_language_of_this_page_and_the_next(tab: LabellingPage) -> None:
    tab.page.goto(f"{tab.address}/work/small/")
    tab.page.get_by_role("button", name="English").click()
    expect(tab.page.get_by_role("heading", name="My work so far")).to_be_visible()
    tab.open(Task.BOX_QUALITY)
    expect(tab.page.locator("h1.ask")).to_contain_text("Is the new box good")


FINGER = 44
"""Pixels, each way, of what a finger presses."""
PLACES = """() => [...document.querySelectorAll('.view, .ask, .caption, .answer, .instead, .aids')].map(one => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return [left, top + scrollY, width, height].map(Math.round);
})"""
PRESSED = ".answer, .token, .instead input, .instead button"
TOO_SMALL = """([pressed, least]) => [...document.querySelectorAll(pressed)].filter(one => {
  const { width, height } = one.getBoundingClientRect();
  return width < least || height < least;
}).map(one => one.textContent)"""


def sit_at(sit: Sit, folder: Path, task: Task, **options: object) -> LabellingPage:
    """Sit down at a survey about drawn scenes."""
    project = scene_survey(folder, task)
    tab = sit(worker(project, "ada", task), **options)
    tab.project = project.name
    return tab


@pytest.mark.parametrize("task", SURVEY_TASKS)
def test_axe_finds_nothing_from_the_rule_to_the_last_step(sit: Sit, tmp_path: Path, task: Task) -> None:
    tab = sit_at(sit, tmp_path, task)
    tab.open(task, "learning", met=False)
    found = violations(tab.page)
    tab.page.locator("[data-start]").click()
    tab.wait_for("asking")
    tab.wait_until_it_answers()
    found += violations(tab.page)
    if task is Task.CAPTION_CHECK:
        tab.press("2")
        expect(tab.page.locator("h1.ask")).to_have_text("Which word is wrong?")
        found += violations(tab.page)
        tab.press("2")
        expect(tab.page.locator("[data-next]")).to_be_visible()
        found += violations(tab.page)
    tab.press("?")
    expect(tab.page.get_by_role("dialog")).to_be_visible()
    assert found + violations(tab.page) == []


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_nothing_moves_before_and_when_a_word_is_picked(sit: Sit, tmp_path: Path, viewport: dict[str, int]) -> None:
    tab = sit_at(sit, tmp_path, Task.CAPTION_CHECK, viewport=viewport)
    tab.open(Task.CAPTION_CHECK)
    tab.wait_until_it_answers()
    places = tab.page.evaluate(PLACES)
    assert len(places) == 7
    tab.press("2")
    expect(tab.page.locator("h1.ask")).to_have_text("Which word is wrong?")
    assert tab.page.evaluate(PLACES) == places
    tab.press("3")
    expect(tab.page.locator("[data-next]")).to_be_visible()
    assert tab.page.evaluate(PLACES) == places


def test_every_answer_and_word_is_large_enough_for_a_finger(sit: Sit, tmp_path: Path) -> None:
    tab = sit_at(sit, tmp_path, Task.CAPTION_CHECK, viewport=PHONE, has_touch=True)
    tab.open(Task.CAPTION_CHECK)
    tab.answer("wrong")
    tab.page.locator(".token input").nth(2).tap()
    expect(tab.page.locator("[data-next]")).to_be_visible()
    assert tab.page.locator(".token").count() > 9 and tab.page.evaluate(TOO_SMALL, [PRESSED, FINGER]) == []


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("task", SURVEY_TASKS)
def test_both_are_in_german_and_nothing_is_cut_off(
    sit: Sit, tmp_path: Path, task: Task, viewport: dict[str, int]
) -> None:
    tab = sit_at(sit, tmp_path, task, viewport=viewport, locale="de-DE")
    tab.open(task)
    tab.wait_until_it_answers()
    check(tab.page)
    if task is Task.CAPTION_CHECK:
        tab.press("n", "1")
        expect(tab.page.locator("h1.ask")).to_have_text("Welches Wort ist falsch?")
        expect(tab.page.locator("[data-next]")).to_contain_text("Weiter")
        check(tab.page)
    else:
        expect(tab.page.locator("h1.ask")).to_contain_text("Kann man das auf einem Bild sehen?")
    tab.page.locator("[data-help]").click()
    expect(tab.page.get_by_role("dialog")).to_contain_text("So gehen Sie vor.")
    check(tab.page)


def test_a_word_whose_picture_does_not_load_waits_and_can_be_asked_again(sit: Sit, tmp_path: Path) -> None:
    tab = sit_at(sit, tmp_path, Task.ATOM_VISUAL)
    broken, examples = _picture_of_second_example(tab)
    tab.page.route(broken, lambda route: route.abort())
    tab.open(Task.ATOM_VISUAL)
    expect(tab.page.get_by_role("alert").first).to_contain_text("The picture did not load.")
    expect(tab.page.locator("[data-answer=yes]")).to_be_disabled()
    tab.page.unroute(broken)
    again = tab.page.get_by_role("button", name="Try again")
    expect(again).to_have_count(examples)
    for left in reversed(range(examples)):
        again.first.click()
        expect(again).to_have_count(left)
    tab.answer("yes")
    tab.wait_for_question(1)


def _picture_of_second_example(tab: LabellingPage) -> tuple[str, int]:
    """Return its address, and the number of examples in which the same picture stands."""
    tab.open(Task.ATOM_VISUAL)
    tab.wait_until_it_answers()
    shown = tab.page.locator(".still img").evaluate_all("all => all.map(image => image.src.split('#')[0])")
    return shown[1], shown.count(shown[1])
