"""In a real browser: whatever happens on the way, no answer is lost, none is stored twice, and the worker is told."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Dialog, Locator, Response, Route, expect

from annotation.models import Project
from pipeline.models import Assignment, Judgment
from pipeline.protocol.tasks.task import Task
from pipeline.tick import tick
from tests.labelling.conftest import Sit, with_account
from tests.support.browsers import PATIENCE
from tests.support.labelling_page import LabellingPage
from tests.support.pictures import plain_jpeg
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.six_tasks import show
from workers.models import Worker

DRAW, REQUIRE = Task.BOX_DRAWING, Task.BOX_REQUIREMENT
SUBMIT = re.compile("/submit/$")
GAP = 10_000
"""Milliseconds between two savings of a draft on the server."""
AWAY = 31 * 60_000
"""Milliseconds after which a lease has run out."""
COMMENT = "only the left one"
CORNERS = (20, 20), (90, 80)


@pytest.fixture
def project(transactional_db: None) -> Project:
    """Two boxes to draw, two questions whether there is something to box."""
    texts = ("people: a man", "people: a boy", "other: a ball", "other: a bat")
    made = project_of(*(phrases(text, name=str(number)) for number, text in enumerate(texts)))
    show(made, plain_jpeg(200, 100))
    return made


def answered(sit: Sit, ada: Worker) -> LabellingPage:
    """A tab at the summary, both questions answered."""
    tab = sit(ada)
    tab.page.clock.install()
    tab.open(REQUIRE)
    with tab.page.expect_response(is_draft):  # else it might extend a lease that a test has let run out
        tab.press("1")
    tab.press("3")
    tab.wait_for("summary")
    return tab


def is_draft(response: Response) -> bool:
    return response.url.endswith("/draft/") and response.ok


def is_draft_with_all(response: Response) -> bool:
    return is_draft(response) and COMMENT in (response.request.post_data or "")


def draw_rest(tab: LabellingPage) -> list[int]:
    """Draw at the second question, do not confirm, and begin to say something about it."""
    tab.drag(*CORNERS)
    box = drawn(tab)
    tab.press("c")
    expect(comment(tab)).to_be_focused()
    return box


def drawn(tab: LabellingPage) -> list[int]:
    """Wait for the box between the corners."""
    return tab.wait_for_box((*CORNERS[0], *CORNERS[1]), within=1)


def comment(tab: LabellingPage) -> Locator:
    return tab.page.get_by_label("Comment", exact=True)


def assert_all_there(tab: LabellingPage, box: list[int]) -> None:
    tab.wait_for_question(1)
    tab.wait_for_box(box)
    expect(comment(tab)).to_have_value(COMMENT)
    expect(tab.page.get_by_label("Question 1, answered")).to_be_visible()


@pytest.mark.smoke
def test_a_closed_tab_loses_nothing_in_the_same_browser(sit: Sit, ada: Worker) -> None:
    tab = sit(ada)
    tab.ask(DRAW)
    tab.page.context.set_offline(True)  # so that the browser's own copy has to do
    tab.press("n")
    notice = tab.page.locator(".offline")
    expect(notice).to_be_visible()
    under_the_notice = tab.on_screen(CORNERS[0])
    notice.evaluate("notice => { notice.style.display = 'none' }")
    assert tab.on_screen(CORNERS[0]) == under_the_notice  # else a hand that is about to press would miss
    box = draw_rest(tab)  # not confirmed
    tab.type(COMMENT)
    tab.page.close()
    tab.page.context.set_offline(False)
    again = LabellingPage(tab.page.context.new_page(), tab.address, "small")
    again.open(DRAW)
    assert_all_there(again, box)


@pytest.mark.parametrize("hidden", [False, True], ids=["after a while", "as soon as the page is hidden"])
def test_another_browser_goes_on_with_what_the_server_keeps(sit: Sit, ada: Worker, *, hidden: bool) -> None:
    tab = sit(ada)
    tab.page.clock.install()
    tab.open(DRAW)
    with tab.page.expect_response(is_draft):
        tab.press("n")
    box = draw_rest(tab)
    tab.hold_the_clock()  # so that nothing is saved before all is written, or because it is time
    tab.type(COMMENT)
    with tab.page.expect_response(is_draft_with_all):
        if hidden:
            tab.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
            tab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        else:
            tab.page.clock.run_for(GAP)
            tab.page.clock.resume()
    again = sit(ada)
    again.open(DRAW)
    assert_all_there(again, box)


def test_a_lost_connection_is_waited_out_and_the_answers_are_stored_once(sit: Sit, ada: Worker) -> None:
    tab = answered(sit, ada)
    tab.page.context.set_offline(True)
    tab.press("Enter")
    expect(tab.page.get_by_text("No connection. Your answers are safe here")).to_be_visible()
    tab.wait_for("sending")
    tab.page.context.set_offline(False)
    tab.wait_for("sent")
    expect(tab.page.get_by_text("2 answers stored")).to_be_visible()
    assert Judgment.objects.count() == 2


def test_an_answer_cut_off_on_its_way_back_is_asked_for_again_and_none_is_stored_twice(sit: Sit, ada: Worker) -> None:
    tab = answered(sit, ada)

    def cut(route: Route) -> None:
        route.fetch(timeout=PATIENCE)  # the server has stored it
        route.abort()

    tab.page.route(SUBMIT, cut, times=1)
    tab.hold_the_clock()  # so that nothing is repeated before it was looked at
    tab.press("Enter")
    expect(tab.page.get_by_text("No connection. Your answers are safe here")).to_be_visible()
    assert Judgment.objects.count() == 2
    with tab.page.expect_response(SUBMIT) as repeated:
        tab.page.clock.resume()
    tab.wait_for("sent")
    expect(tab.page.get_by_text("2 answers stored")).to_be_visible()
    assert repeated.value.json()["repeated"]
    assert Judgment.objects.count() == 2


def test_a_server_that_stumbles_is_asked_again(sit: Sit, ada: Worker) -> None:
    tab = answered(sit, ada)
    tab.page.route(SUBMIT, lambda route: route.fulfill(status=500, body="<h1>Server Error</h1>"), times=1)
    tab.hold_the_clock()  # so that nothing is repeated before it was looked at
    tab.press("Enter")
    expect(tab.page.locator(".notice.offline")).to_be_visible()
    tab.wait_for("sending")
    assert Judgment.objects.count() == 0
    tab.page.clock.resume()
    tab.wait_for("sent")
    assert Judgment.objects.count() == 2


def run_out(tab: LabellingPage) -> None:
    """The lease ends, for the server as for the page."""
    Assignment.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    tab.page.clock.fast_forward(AWAY)
    expect(tab.page.get_by_text("Time is up. Your answers are kept")).to_be_visible()


def test_when_time_is_up_the_answers_are_kept_and_the_receipt_says_what_came_too_late(
    sit: Sit, project: Project, ada: Worker
) -> None:
    tab = answered(sit, ada)
    run_out(tab)
    tick(project_id=project.id)
    answer(project, worker(project, "bob"), REQUIRE, 1)
    tab.page.get_by_role("button", name="Submit now").click()
    tab.wait_for("sent")
    expect(tab.page.get_by_text("1 answer stored, 1 too late")).to_be_visible()
    message = "Your time had run out, and 1 answer came too late: others had answered first."
    expect(tab.page.get_by_text(message)).to_be_visible()
    assert Judgment.objects.filter(worker=ada).count() == 1


def test_answers_left_by_a_reload_are_sent_later_if_still_needed(sit: Sit, project: Project, ada: Worker) -> None:
    tab = answered(sit, ada)
    first, second = Assignment.objects.get().questions
    tab.page.context.set_offline(True)  # so that no draft on its way extends the lease
    Assignment.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    tick(project_id=project.id)
    answer(project, worker(project, "bob"), REQUIRE, 1)
    tab.page.context.set_offline(False)
    tab.page.reload()
    tab.wait_for("asking")
    assert Assignment.objects.get(worker=ada, state="active").questions == [second]
    expect(tab.page.get_by_text("2 answers from an earlier assignment were not sent.")).to_be_visible()
    tab.page.get_by_role("button", name="Send them now").click()
    expect(tab.page.get_by_text("From an earlier assignment: 1 answer stored, 1 too late.")).to_be_visible()
    tab.wait_for("empty")
    stored = Judgment.objects.filter(question__in=[first, second]).order_by("question_id")
    assert list(stored.values_list("question_id", "worker__name", "answer")) == [(first, "bob", 1), (second, "ada", 3)]
    assert tab.draft() is None


def test_a_box_that_was_drawn_in_time_can_be_confirmed_when_time_is_up(sit: Sit, ada: Worker) -> None:
    tab = sit(ada)
    tab.page.clock.install()
    tab.open(DRAW)
    with tab.page.expect_response(is_draft):
        tab.drag(*CORNERS)
    box = drawn(tab)
    run_out(tab)
    tab.page.get_by_role("button", name="Submit now").click()
    tab.wait_for("summary")
    tab.page.get_by_role("button", name="Question 1: drawn, not confirmed").click()
    tab.answer("box")
    tab.page.get_by_role("button", name="Submit now").click()
    tab.wait_for("sent")
    assert [judgment.answer for judgment in Judgment.objects.all()] == [{"box": box}]


@contextmanager
def signed_out(tab: LabellingPage, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The session has ended, and every token is too old."""
    tab.page.context.clear_cookies()
    with monkeypatch.context() as patch:
        patch.setattr("workers.tokens.MOST_SECONDS", -1)
        yield


def test_who_signs_in_again_finds_everything_again(sit: Sit, ada: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    with_account(ada, password="engine and loom")
    tab = answered(sit, ada)
    with signed_out(tab, monkeypatch):
        tab.press("Enter")
        tab.wait_for("error")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("You were signed out")
    expect(tab.page.get_by_text("Your answers are kept on this device.")).to_be_visible()
    tab.page.get_by_role("link", name="Sign in again").click()
    tab.page.get_by_label("Username").fill("ada")
    tab.page.get_by_label("Password").fill("engine and loom")
    tab.page.get_by_role("button", name="Sign in").click()
    tab.page.get_by_role("link", name="Continue").click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("All 2 answered")
    assert "2 answers stored" in tab.submit()


def test_the_browser_asks_before_unsent_work_is_left_and_only_then(sit: Sit, ada: Worker) -> None:
    tab = sit(ada)
    tab.open(DRAW)
    tab.wait_until_it_answers()
    tab.drag(*CORNERS)
    drawn(tab)
    asked: list[Dialog] = []
    tab.page.on("dialog", lambda dialog: asked.append(dialog))
    with tab.page.expect_event("dialog"):
        tab.page.close(run_before_unload=True)
    assert asked[0].type == "beforeunload"
    asked[0].dismiss()
    tab.press("Enter", "n")
    tab.submit()
    with tab.page.expect_event("close"):
        tab.page.close(run_before_unload=True)
    assert len(asked) == 1
