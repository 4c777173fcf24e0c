"""In a real browser: two tabs with the same assignment. What counts is said, and nothing is stored twice."""

import pytest
from playwright.sync_api import expect

from pipeline.models import Judgment
from pipeline.rules.tasks.task import Task
from tests.labelling.conftest import Sit
from tests.support.labelling_page import LabellingPage
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of, worker
from tests.support.six_tasks import show

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
