"""In a real browser: a chain in doubt is settled by keyboard, undone, and settled again."""

import json
import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import Role
from annotation.models import Chain, Project
from pipeline.models import Entry
from pipeline.record.intervene import act_as_expert
from pipeline.record.read_record import replay, stored_rows
from projects.corrected.changes import lines_of
from tests.projects.conftest import Desk
from tests.support.axe import DESK, TAGS, violations
from tests.support.checked import checked_project
from tests.support.members import sign_in

LOOKS = (*DESK, (390, 900, "light", TAGS))


@pytest.fixture
def page(transactional_db: None, drawn: Project, client: Client, desk: Desk) -> Page:
    """The workbench of an image of which one chain waits, at the desk."""
    image = drawn.images.get(position=0)
    chain = Chain.objects.filter(image=image, state="complete").order_by("name")[0]
    act_as_expert(image_id=image.id, action={"action": "review", "chain": chain.name}, actor="bob", reason="in doubt")
    sign_in(client, drawn, Role.REVIEWER, "ada")
    opened = desk("/projects/drawn/review/")
    opened.get_by_role("link", name="Review the first").click()
    opened.locator(".bench").wait_for()
    return opened


def effects(page: Page, words: str) -> None:
    expect(page.locator(".effects li").filter(has_text=words)).to_be_visible()


WHOLE = """() => document.documentElement.scrollHeight <= innerHeight &&
  [...document.querySelectorAll(".bench .view, .bench .acts, .bench .right, .told")]
    .every(one => one.getBoundingClientRect().bottom <= innerHeight)"""


def test_the_workbench_is_whole_in_the_window_of_a_desk(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator(".chains .on")).to_be_in_viewport()
    assert page.evaluate(WHOLE) and page.evaluate("document.documentElement.scrollWidth") == 1440
    page.keyboard.press("a")
    expect(page.locator(".act")).to_be_in_viewport()
    assert page.evaluate(WHOLE), "with an act open, too"


def test_a_chain_is_settled_by_keyboard_undone_and_settled_again(page: Page) -> None:
    project = Project.objects.get()
    image = project.images.get(position=0)
    before, chain = stored_rows([image.id]), Chain.objects.get(image=image, state="review")
    keys = page.keyboard
    keys.press("a")
    effects(page, "is then in state complete")
    keys.type("looks right")
    keys.press("Enter")
    expect(page.locator(".said")).to_contain_text("Done: accept.")
    chain.refresh_from_db()
    assert chain.state == "complete"
    keys.press("u")
    effects(page, "waits in review until an expert sends it on")
    page.locator("[name=reason][required]").fill(" ")
    keys.press("Enter")
    expect(page.locator(".why + .error")).to_contain_text("say why")
    expect(page.locator("[name=reason][aria-invalid=true]")).to_be_focused()
    keys.type("too quick")
    expect(page.locator("#reason-error")).to_have_count(0)
    keys.press("Enter")
    expect(page.locator(".said")).to_contain_text("Done: undo.")
    assert stored_rows([image.id]) == before
    keys.press("s")
    page.get_by_role("radio", name="drawing").check()
    effects(page, "asked, and paid, again: box drawing (1)")
    page.locator("[name=reason]").fill("a box is missing")
    keys.press("Enter")
    expect(page.locator(".said")).to_contain_text("Done: send on.")
    chain.refresh_from_db()
    assert chain.state == "drawing" and list(replay(project)) == []
    kinds = Entry.objects.filter(image=image).order_by("sequence").values_list("kind", flat=True)
    assert list(kinds)[-5:] == ["expert", "expert", "merge", "undo", "expert"]


@pytest.mark.smoke
def test_a_box_is_drawn_and_moved_by_keyboard_and_nothing_happens_on_escape(page: Page) -> None:
    image = Project.objects.get().images.get(position=0)
    boxes, keys = image.boxes.count(), page.keyboard
    keys.press("d")
    expect(page.locator(".draw")).to_be_visible()
    keys.press("b")
    effects(page, "1 box will be added")
    keys.press("Escape")
    expect(page.locator(".said")).to_have_text("Nothing was changed.")
    assert image.boxes.count() == boxes
    keys.press("d")
    keys.press("b")
    effects(page, "1 box will be added")
    keys.press("Enter")
    expect(page.locator("[name=reason]")).to_be_focused()
    keys.press("Enter")
    expect(page.locator(".said")).to_contain_text("Done: draw a box.")
    drawn = image.boxes.get(number=boxes)
    keys.press(",")
    name = page.locator(f'[data-box-number="{boxes}"] text').text_content()
    expect(page.locator(".said")).to_contain_text(f"Box {name}, accepted.")
    keys.press("m")
    keys.press("ArrowRight")
    effects(page, "1 accepted box will be discarded")
    keys.press("Enter")
    expect(page.locator("[name=reason]")).to_be_focused()
    keys.press("Enter")
    expect(page.locator(".said")).to_contain_text("Done: move the box.")
    moved = image.boxes.get(number=boxes + 1)
    assert moved.x0 > drawn.x0 and moved.y0 == drawn.y0


def test_phrases_and_boxes_choose_their_chain_by_mouse(page: Page) -> None:
    phrase = page.locator(".phrase").last
    phrase.click()
    expect(phrase).to_have_attribute("aria-pressed", "true")
    number = phrase.locator("sub").inner_text()
    expect(page.locator("#told")).to_have_text(f"What was said about chain {number}")
    page.locator(".stage .box .name").first.dispatch_event("pointerdown", {"bubbles": True})
    held = page.locator(".stage .box.held text")
    expect(page.locator("#told")).to_have_text(
        f"What was said about chain {re.sub('[a-z]', '', held.text_content() or '')}"
    )


def test_changes_of_a_check_are_confirmed_in_a_row_by_keyboard_and_one_is_taken_back_and_that_undone(
    transactional_db: None, client: Client, desk: Desk
) -> None:
    project = checked_project(0, 1, images=2)
    sign_in(client, project, Role.REVIEWER, "ada")
    opened = desk("/projects/checked/check/changes/", forgiven="Failed to load resource")  # it has no pictures
    found = violations(opened, LOOKS, unfold=False)
    opened.get_by_role("link", name="Confirm in a row").click()
    changed, keys = opened.locator("section.changed"), opened.keyboard
    expect(changed).to_contain_text("box off its place")
    found += violations(opened, LOOKS, unfold=False)
    assert found == []
    keys.press("e")
    expect(opened.locator(".said")).to_contain_text("Confirmed.")
    keys.press("n")
    expect(opened.get_by_role("heading", level=1)).to_have_text("park 1")
    expect(changed).to_contain_text("by answers")
    keys.press("b")
    effects(opened, "1 box will be added")
    keys.type("it was right")
    keys.press("Enter")
    expect(changed).to_contain_text("taken back by an expert")
    keys.press("u")
    effects(opened, "1 accepted box will be discarded")
    keys.type("no, it was not")
    keys.press("Enter")
    expect(changed).to_contain_text("by answers")
    assert [json.loads(line)["state"] for line in lines_of(project)] == ["confirmed by an expert", "by answers"]
    assert list(replay(project)) == []


def test_axe_finds_nothing_and_errors_of_a_sample_are_counted_by_key(page: Page) -> None:
    base, found = re.sub(r"review/.*", "review/", page.url), violations(page, LOOKS, unfold=False)
    page.keyboard.press("s")
    page.locator(".effects li").first.wait_for()
    found += violations(page, LOOKS, unfold=False)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    found += violations(page, LOOKS, unfold=False)
    for address in (base, f"{base}sample/"):
        page.goto(address)
        found += violations(page, LOOKS, unfold=False)
    page.get_by_role("button", name="Draw a sample").click()
    page.get_by_role("link", name="Begin").click()
    page.locator("[data-tally][data-keys=ready]").wait_for()
    found += violations(page, LOOKS, unfold=False)
    assert found == []
    for key in ("1", "1", "4", "Shift+Digit1", "Enter"):
        page.keyboard.press(key)
    # The other image is in review, so the sample has one image, and the report comes next.
    expect(page.get_by_role("row").filter(has_text="chunking").get_by_role("cell").first).to_have_text("1")
