"""The shortest way from an empty service to the first answer, in Chromium: so many presses and no more."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from pipeline.rules.tasks.task import Task
from tests.support.at_a_browser import AtABrowser
from tests.support.browsers import new_context
from tests.support.labelling_page import wait_until_it_answers
from tests.support.requesters_steps import bring_photographs, few_of
from tests.support.word_crowd import PASSWORD

MOST_PRESSES = 21
"""Of both people: from the sign-in to the start, and from the link to the first answer."""


def test_the_first_answer_takes_21_presses(
    requester: AtABrowser, chromium: Browser, data_folder: Path, tmp_path: Path
) -> None:
    bring_photographs(requester, few_of(data_folder / "coco", tmp_path / "photographs"))
    requester.link("Invite workers")
    requester.press(requester.page.get_by_label("people you know and trust"))
    requester.button("Make a link")
    link = requester.page.locator(".token").inner_text()
    requester.button("Start")
    expect(requester.page.get_by_text("The project is running now.")).to_be_visible()
    context = new_context(chromium, viewport={"width": 1280, "height": 800})
    worker = AtABrowser(context.new_page(), presses=1)
    worker.page.goto(link)
    for label, text in (("Name", "anna"), ("Password", PASSWORD), ("Repeat the password", PASSWORD)):
        worker.fill(label, text)
    worker.button("Join")
    page = worker.page
    card = page.locator(".offer").filter(has_text=Task.COREFERENCE_LINK.label)
    worker.press(card.get_by_role("link", name="Start"))
    for name in ("Try the examples", "Skip the examples"):
        wait_until_it_answers(page)
        worker.button(name)
    first = page.locator('#work[data-state="asking"][data-index="0"]')
    expect(first).to_be_attached()
    wait_until_it_answers(page)
    worker.keys("1")
    expect(first).to_have_count(0)
    context.close()
    assert requester.presses + worker.presses <= MOST_PRESSES
