"""A whole campaign in Chromium, from an empty service and a folder of photographs to the data set read back.

The requester uses the browser alone. Six newcomers join by a link: the first one reads and presses on the labelling
page for a test and for real questions; the probation, the others, and the rest of the work send what its pages send.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from exchange.dataset import DatasetImage
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.support.at_a_browser import AtABrowser
from tests.support.browsers import new_context
from tests.support.labelling_page import complaints, wait_until_it_answers
from tests.support.requesters_steps import (
    ALONE,
    MEASURED,
    PHOTOGRAPHS,
    bring_photographs,
    export,
    few_of,
    invite_people,
    make_known_questions,
    mend_a_phrase,
    predict_and_try,
    settle_the_dispute,
)
from tests.support.served import manage
from tests.support.word_crowd import PASSWORD, Quarrel, Requests, people, word_of

PROJECT = "street-scenes"
MOST_PRESSES, MOST_PAGES = 80, 40
"""Bounds of the requester's steps. Annotating an image for the known questions is counted apart: see `PER_IMAGE`."""
PER_IMAGE = 120
"""The most presses for an image of about fifteen phrases."""


@pytest.fixture
def first(chromium: Browser) -> Iterator[AtABrowser]:
    """The first newcomer, at a browser of their own."""
    context = new_context(chromium, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    said = complaints(page)
    yield AtABrowser(page)
    context.close()
    # The service refuses new questions while the project is paused.
    assert [one for one in said if not one.startswith("Failed to load resource")] == []


def test_from_a_folder_of_photographs_to_the_data_set(
    requester: AtABrowser, first: AtABrowser, service: tuple[str, Path], data_folder: Path, tmp_path: Path
) -> None:
    address, folder = service
    begun = [("", time.monotonic())]

    def done(what: str) -> None:
        begun.append((what, time.monotonic()))

    bring_photographs(requester, few_of(data_folder / "coco", tmp_path / "photographs"))
    mend_a_phrase(requester)
    done("data")
    predict_and_try(requester)
    done("prediction, dry run")
    before = requester.presses
    quarrel = Quarrel(make_known_questions(requester))
    annotating = requester.presses - before
    done("known questions")
    newcomers, trusted = invite_people(requester)
    requester.button("Start")
    expect(requester.page.get_by_text("The project is running now.")).to_be_visible()
    with people(address, quarrel, 6) as crew:
        take_test(first, newcomers)
        crew[0].take_over(first.page.context.cookies())
        done("the first newcomer's test")
        for one in crew[1:]:
            one.join(newcomers)
        for one in crew:
            one.join(trusted)
        qualify(crew)
        done("the other newcomers")
        work(first)
        done("the first newcomer's work")
        pause_and_resume(requester, crew, first)
        finish(crew)
        done("the rest of the work")
        settle_the_dispute(requester)
        finish(crew)
    exported = export(requester, tmp_path)
    compare(exported, folder)
    done("review, export")
    others = requester.presses - annotating
    print(f"{requester.pages} pages, {others} presses, and {annotating} to annotate; newcomer: {first.presses}")
    print("; ".join(f"{what} {at - before:.0f} s" for (_, before), (what, at) in pairwise(begun)))
    assert others <= MOST_PRESSES and requester.pages <= MOST_PAGES
    assert annotating <= PER_IMAGE
    assert "nothing differs" in manage(folder, "replay", PROJECT).stdout


def take_test(who: AtABrowser, link: str) -> None:
    """Join, and take the test of links."""
    page = who.page
    page.goto(link)
    for label, text in (("Name", "newcomer-0"), ("Password", PASSWORD), ("Repeat the password", PASSWORD)):
        who.fill(label, text)
    who.button("Join")
    card = page.locator(".offer").filter(has_text="Coreference link")
    who.press(card.get_by_role("link", name="Take the test"))
    press(who, "Try the examples")
    press(who, "Skip the examples")
    press(who, "Begin the test")
    answer_all(who)
    press(who, "Hand in the test")
    expect(page.get_by_role("heading", name="Test passed")).to_be_visible()


def work(who: AtABrowser) -> None:
    """Answer one more assignment of links."""
    press(who, "Continue")
    answer_all(who)
    press(who, "Submit")
    expect(who.page.locator("#work")).to_have_attribute("data-state", "sent")


def press(who: AtABrowser, name: str) -> None:
    wait_until_it_answers(who.page)
    who.button(name)


def answer_all(who: AtABrowser) -> None:
    """Read the two phrases of each question, and press."""
    page = who.page
    expect(page.locator("#work")).to_have_attribute("data-state", "asking")
    for place in range(10):
        here = page.locator(f'#work[data-state="asking"][data-index="{place}"]')
        expect(here).to_be_attached()
        wait_until_it_answers(page)
        one, other = (word_of(text) for text in page.locator("main mark.phrase").evaluate_all(ALONE)[:2])
        who.press(page.locator(f'[data-answer="{"same" if one == other else "different"}"]'))
        expect(here).to_have_count(0)


def qualify(crew: list[Requests]) -> None:
    """Take the tests of both tasks, and pass both probations. The first newcomer has taken that of links."""
    for one in crew:
        for task in MEASURED:
            for _ in range(3 if one is crew[0] and task is Task.COREFERENCE_LINK else 4):
                assert one.work(PROJECT, task), (one.name, task, one.said)


def pause_and_resume(requester: AtABrowser, crew: list[Requests], newcomer: AtABrowser) -> None:
    page = requester.page
    for one in crew:
        assert one.work(PROJECT, Task.COREFERENCE_LINK)
    requester.button("Pause")
    expect(page.get_by_text("The project is paused now.")).to_be_visible()
    assert crew[1].work(PROJECT, Task.COREFERENCE_LINK) == "" and "paused" in crew[1].said
    press(newcomer, "Continue")
    expect(newcomer.page.get_by_text("The requester has paused this project.")).to_be_visible()
    requester.button("Resume")
    expect(page.get_by_text("The project is running now.")).to_be_visible()


def finish(crew: list[Requests]) -> None:
    """Let everybody answer until nothing is open for anybody."""
    idle = 0
    while idle < 3:
        answered = sum(bool(one.work(PROJECT, task)) for one in crew for task in PROTOCOL_TASKS)
        idle = 0 if answered else idle + 1


CHAINS = """SELECT i.name, COALESCE(h.merged_into, h.name), c.number, m.start, m."end" FROM annotation_mention m
  JOIN annotation_image i ON i.id = m.image_id JOIN annotation_caption c ON c.id = m.caption_id
  JOIN annotation_chain h ON h.image_id = i.id AND h.name = m.chain
  JOIN annotation_project p ON p.id = i.project_id WHERE p.name = ? AND i.state = 'merged'"""
BOXES = """SELECT i.name, b.x0, b.y0, b.x1, b.y1 FROM annotation_mergedbox b
  JOIN annotation_image i ON i.id = b.image_id JOIN annotation_project p ON p.id = i.project_id WHERE p.name = ?"""


def compare(exported: dict[str, DatasetImage], folder: Path) -> None:
    """Compare the chains and boxes that were read with the state of the service: all images."""
    with closing(sqlite3.connect(f"file:{folder}/chainbox.sqlite3?mode=ro", uri=True)) as database:
        phrases = database.execute(CHAINS, [PROJECT]).fetchall()
        boxes = database.execute(BOXES, [PROJECT]).fetchall()
    assert len(exported) == PHOTOGRAPHS and len(boxes) > 40
    for name, image in exported.items():
        stored: dict[int, set[tuple[int, ...]]] = {}
        for _, chain, *place in (row for row in phrases if row[0] == name):
            stored.setdefault(chain, set()).add(tuple(place))
        read: dict[str | None, set[tuple[int, ...]]] = {}
        for mention in image.mentions:
            read.setdefault(mention.chain, set()).add((mention.caption, mention.start, mention.end))
        assert sorted(map(sorted, read.values())) == sorted(map(sorted, stored.values())), name
        edges = sorted((one.box.x0, one.box.y0, one.box.x1, one.box.y1) for one in image.boxes)
        assert edges == sorted(tuple(row[1:]) for row in boxes if row[0] == name), name
