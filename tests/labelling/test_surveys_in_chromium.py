"""In Chromium: axe finds no fault on the screens of surveys, nothing on them moves, and all of it fits a finger."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from pipeline.rules.tasks.task import SURVEY_TASKS, Task
from tests.labelling.conftest import Sit
from tests.labelling.test_german_in_chromium import DESK, PHONE, check
from tests.support.axe import violations
from tests.support.labelling_page import LabellingPage
from tests.support.projects import worker
from tests.support.survey_crew import scene_survey

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
def test_nothing_moves_when_a_word_is_to_be_picked_and_when_it_is(
    sit: Sit, tmp_path: Path, viewport: dict[str, int]
) -> None:
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
    assert tab.page.locator(".token").count() > 9
    assert tab.page.evaluate(TOO_SMALL, [PRESSED, FINGER]) == []


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
