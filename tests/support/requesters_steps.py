"""The steps of a requester in the browser, from a folder of photographs to the export.

Each takes the person at the browser, presses what is on the page, and checks what the page says then.
"""

import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Page, expect

from exchange.dataset import DatasetImage
from exchange.formats.flickr30k.read import read_flickr30k
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from tests.support.at_a_browser import AtABrowser
from tests.support.labelling_page import LabellingPage
from tests.support.word_crowd import place_of, word_of
from workers.task_words import task_name

PHOTOGRAPHS, LISTED = 8, 80
"""The photographs of the campaign, and how many its captions speak of: the others are missing."""
GOLD_IMAGES = 4
PHRASES = """all => all.flatMap((line, caption) => [...line.querySelectorAll(".phrase")]
  .map(one => [caption, one.querySelector("sub").textContent, one.firstChild.textContent]))"""
"""The caption, the number and the words of each phrase in these lines."""
MEASURED = (Task.COREFERENCE_LINK, Task.BOX_QUALITY)
"""The tasks of newcomers, for which known questions are made."""
ALONE = """all => all.map(one => {
  one = one.cloneNode(true);
  one.querySelectorAll("sub, .letter, .unseen").forEach(part => part.remove());
  return one.textContent;
})"""
"""The words of elements, without numbers, letters and what only screen readers say."""


def few_of(source: Path, target: Path) -> Path:
    """Copy the captions, and a few of the photographs."""
    (target / "images").mkdir(parents=True)
    for file in source.glob("*.json"):
        shutil.copy(file, target)
    for picture in sorted((source / "images").iterdir())[:PHOTOGRAPHS]:
        shutil.copy(picture, target / "images")
    return target


def bring_photographs(who: AtABrowser, folder: Path) -> None:
    who.link("New project")
    who.fill("Title", "Street scenes")
    who.button("Make the project")
    page = who.page
    who.give(page.locator("[data-choose=folder]"), folder)
    expect(page.get_by_text(f"{PHOTOGRAPHS} pictures and 2 other files are here")).to_be_visible()
    who.button("Import the uploaded files")
    missing = LISTED - PHOTOGRAPHS
    expect(page.get_by_text(f"{missing} images left out: the reasons")).to_be_visible()
    expect(page.locator("ul.names li")).to_have_count(missing)
    step = page.get_by_role("navigation", name="Steps to the start").get_by_role("listitem").first
    expect(step).to_have_text("Data done")


def mend_a_phrase(who: AtABrowser) -> None:
    page = who.page
    who.link("Look at the phrases")
    expect(page.locator(".sample > li")).to_have_count(PHOTOGRAPHS)
    phrase = page.locator(".phrase.c7[role=button]").first
    text = phrase.get_attribute("data-text")
    who.press(phrase)
    who.press(page.get_by_role("dialog").get_by_role("button", name="vehicles"))
    expect(page.get_by_role("button", name=f"{text}: vehicles").first).to_be_visible()
    who.button("Apply to all images")
    expect(page.get_by_text("The word lists were applied")).to_be_visible()


def predict_and_try(who: AtABrowser) -> None:
    """Predict from few images for a crowd not yet invited, turn the dial, and look at a dry run."""
    page = who.page
    who.step("Predict")
    who.fill("Workers who begin", "6")
    who.fill("Images to simulate", "2")
    who.button("Predict", exact=True)
    dial = page.get_by_role("slider")
    expect(dial).to_be_visible()
    way = page.locator("[data-way]:visible")
    expect(way).to_have_count(1)
    cheapest = way.inner_text()
    dial.focus()
    who.keys("End")
    expect(way).not_to_have_text(cheapest)
    expect(way).to_contain_text("exactly right chains")
    who.button("Make a dry run")
    expect(page.get_by_text(f"{PHOTOGRAPHS} of {PHOTOGRAPHS} images annotated")).to_be_visible()
    who.link("Its dashboard")
    expect(page.get_by_text("The six tasks: chains in each state")).to_be_visible()
    expect(page.get_by_text("Dry run with simulated workers.")).to_be_visible()
    who.link("Back to the project")


def make_known_questions(who: AtABrowser) -> set[str]:
    """Annotate a few images by the crowd's rule, and return their captions.

    One is annotated by hand, the others by what the page sends.
    """
    page = who.page
    who.step("Known questions")
    who.fill("Images", str(GOLD_IMAGES))
    who.button("Draw images at random")
    who.link("Annotate")
    captions = annotate(who)
    who.keys("f")
    expect(page.locator(".heading .state")).to_have_text("finished")
    before = page.url
    who.link("Next image")
    expect(page).not_to_have_url(before)
    captions |= send_sheets(page)
    who.link("All images")
    expect(page.locator(".g-settled")).to_have_count(GOLD_IMAGES)
    return captions


def chains_of(phrases: Iterable[tuple[int, int, str]]) -> list[tuple[str, list[int]]]:
    """Return the last word and the numbers of the phrases that end with it, at most one of each caption.

    `phrases`: the caption, the number and the words of each.
    """
    chains: list[tuple[str, dict[int, int]]] = []
    for caption, number, text in phrases:
        word = word_of(text)
        found = next((held for meant, held in chains if meant == word and caption not in held), None)
        if found is None:
            chains.append((word, {caption: number}))
        else:
            found[caption] = number
    return [(word, list(held.values())) for word, held in chains]


def send_sheets(page: Page) -> set[str]:
    """Send the sheet of the image in view, and those of all that come after it. Returns their captions."""
    captions: set[str] = set()
    headers = {"X-CSRFToken": page.locator("[name=csrfmiddlewaretoken]").first.input_value()}
    address: str | None = page.url
    while address:
        page.goto(urljoin(page.url, address))
        sheet = urljoin(page.url, page.locator("#annotate").get_attribute("data-address") or "")
        asked = page.request.get(sheet).json()
        size = asked["image"]["width"], asked["image"]["height"]
        chains = [
            {"mentions": numbers, "non_visual": "", "boxes": [place_of(word, *size)]}
            for word, numbers in chains_of((one["caption"], one["number"], one["text"]) for one in asked["mentions"])
        ]
        answer = page.request.post(
            sheet, data={"chains": chains, "revision": asked["revision"], "finish": True}, headers=headers
        )
        assert answer.ok, answer.text()
        captions |= {one["text"] for one in asked["captions"]}
        address = answer.json()["next"]
    return captions


def annotate(who: AtABrowser) -> set[str]:
    """Link the phrases that end with the same word, and draw a box for each chain."""
    page = who.page
    phrases = page.locator(".gold .phrase")
    expect(phrases.first).to_be_visible()
    expect(page.locator('.stage[data-loading="shown"]')).to_be_visible()
    shown = page.locator(".gold .captions li").evaluate_all(PHRASES)
    whole = page.locator(".plane image")
    size = int(whole.get_attribute("width") or 0), int(whole.get_attribute("height") or 0)
    plane = LabellingPage(page, "", "")
    for word, (first, *others) in chains_of((caption, int(place), text) for caption, place, text in shown):
        who.press(phrases.nth(first - 1))
        if others:
            who.keys("l")
            for place in others:
                who.press(phrases.nth(place - 1))
            who.keys("l")
        x0, y0, x1, y1 = place_of(word, *size)
        who.keys("d")
        who.presses += 1
        plane.drag((x0, y0), (x1, y1))
        expect(page.locator(".plane")).not_to_have_attribute("data-box", "")
        who.keys("Enter", "d")
    expect(page.locator(".heading .state")).to_have_text("ready to finish")
    return set(page.locator(".gold .captions li").evaluate_all(ALONE))


def invite_people(who: AtABrowser) -> tuple[str, str]:
    """Make a link for newcomers to two tasks, and one for people who are trusted with the others."""
    page = who.page
    who.step("Workers")
    who.link("Invite workers")
    for trusted in (False, True):
        if not trusted:
            who.press(page.get_by_label("newcomers"))
        for task in PROTOCOL_TASKS:
            if (task in MEASURED) is not trusted:
                who.tick(task_name(task.value))
        who.fill("Maximum number of people", "6")
        who.button("Make a link")
        expect(page.locator(".token")).to_have_count(2 if trusted else 1)
    newest, oldest = page.locator(".token").all_inner_texts()
    expect(page.get_by_text("Before the project can be started")).to_have_count(0)
    return oldest, newest


def settle_the_dispute(who: AtABrowser) -> None:
    """Draw the box on which nobody agreed, accept the chain, undo that, and accept it again."""
    page = who.page
    who.step("Dashboard")
    who.link("Chains wait for an expert")
    who.link("Review the first")
    expect(page.locator(".bench")).to_be_visible()
    expect(page.locator(".bench")).to_contain_text("cycling")
    who.keys("d", "b")
    act(who, "1 box will be added", "a box by an expert", "Done: draw a box.")
    who.keys("a")
    act(who, "is then in state complete", "the box is right", "Done: accept.")
    expect(page.locator(".heading .state")).to_have_text("merged")
    who.keys("u")
    act(who, "waits in review until an expert sends it on", "too quick", "Done: undo.")
    expect(page.locator(".heading .state")).to_have_text("in review")
    who.keys("a")
    act(who, "is then in state complete", "it is right after all", "Done: accept.")
    expect(page.locator(".heading .state")).to_have_text("merged")


def act(who: AtABrowser, effect: str, reason: str, said: str) -> None:
    """Read what the act would do, give a reason where one is asked for, and do it."""
    page = who.page
    expect(page.locator(".effects li").filter(has_text=effect)).to_be_visible()
    if reason:
        who.presses += 1
        page.locator("[name=reason]").fill(reason)
    who.keys("Enter")
    expect(page.locator(".said")).to_contain_text(said)


def export(who: AtABrowser, folder: Path) -> dict[str, DatasetImage]:
    """Download the data set, and read it by the reader of its format."""
    page = who.page
    who.step("Images")
    who.press(page.locator("summary", has_text="Export"))
    with page.expect_download() as download:
        who.link("flickr30k-entities")
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(folder / "export")
    (sentences,) = (folder / "export").rglob("Sentences")
    found = list(read_flickr30k(sentences.parent))
    assert all(isinstance(one, DatasetImage) for one in found), found
    return {one.name: one for one in found if isinstance(one, DatasetImage)}
