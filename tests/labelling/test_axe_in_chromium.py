"""In Chromium: axe finds no fault on any page, in light and dark, on a desk, at 200 % zoom and on a phone."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Project
from pipeline.models import LedgerEntry
from pipeline.record.intervene import report_problem
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from scenes.write import write_source
from tests.gallery.conftest import make_project
from tests.labelling.conftest import Sit, with_account
from tests.support.axe import violations
from tests.support.being_tested import being_tested, newcomer
from tests.support.members import maker
from tests.support.projects import answer, worker
from tests.support.six_tasks import six_tasks
from workers.change_trust import change_trust
from workers.invitations import invite
from workers.messages import send_message
from workers.models import Worker
from workers.rules.trust_states import TrustEvent


@pytest.fixture
def project(transactional_db: None, settings: Any) -> Project:
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True
    return six_tasks()


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker(project, "ada")


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
    for path in ("/work/", "/work/small/", "/work/password/", f"/join/{code}/"):
        tab.page.goto(tab.address + path)
        found += violations(tab.page)
    tab.page.context.clear_cookies()
    for path in ("/work/sign-in/", f"/join/{code}/", "/join/none/"):
        tab.page.goto(tab.address + path)
        found += violations(tab.page)
    tab.page.goto(tab.address + "/work/sign-in/")
    tab.page.get_by_label("Name").fill("nobody")
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
    tab = sit(newcomer(being_tested(), "ada"))
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
    tab.open(Task.BOX_DRAWING)
    tab.wait_for_picture()
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
    monkeypatch.setattr("workers.page_token.MOST_SECONDS", -1)
    tab = sit(ada)
    tab.open(Task.BOX_QUALITY, state="error")
    assert violations(tab.page) == []
