"""In a real browser: whatever is judged is on the screen, uncovered, before a worker can answer, in any window."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Project
from pipeline.models import Assignment, Judgment
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.labelling.conftest import Sit
from tests.support.labelling_page import LabellingPage
from tests.support.long_captions import CAPTIONS, HEBREW, long_captions, said, without_marks
from tests.support.pictures import encoded
from tests.support.projects import project_of, worker
from tests.support.six_tasks import ground, show

PICTURE = re.compile("/screen/|/screen\\?|pictures?/")
SIZES = {
    "a phone on its side": (844, 390),
    "a small phone": (390, 664),
    "a phone": (390, 844),
    "a desk at 400 %": (320, 256),
    "a desk at 200 %": (720, 450),
    "a square screen at 200 %": (640, 512),
    "a desk": (1440, 900),
}
HIDDEN = """() => [...document.querySelectorAll('main.question .phrase')].filter(phrase => {
  const whole = phrase.getBoundingClientRect();
  if (whole.top < 0 || whole.bottom > innerHeight) return true;
  return [...phrase.getClientRects()].some(({ left, top, width, height }) => {
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return !there || !phrase.contains(there);
  });
}).length"""
"""The marked phrases of which no part is hidden or covered are not counted."""
CLICK = """() => document.querySelector('[data-answer="1"]').click()"""
DOUBLE_CLICK = 120
"""Milliseconds between the two clicks of a hand."""
CUT_OFF = """() => {
  const style = document.createElement("style");
  style.textContent = ".phrase { position: relative; left: 12px } .captions { overflow-x: hidden }";
  document.head.append(style);
}"""
"""Cuts twelve pixels of a phrase off that is as wide as its column, as its padding may be."""
COVERED = """element => {
  element.scrollIntoView({ block: "center" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const at = [[0.5, 0.1], [0.5, 0.5], [0.5, 0.9], [0.1, 0.5]];
  const inside = ([x, y]) => y > 0 && y < innerHeight;
  return at.map(([x, y]) => [left + width * x, top + height * y]).filter(inside)
    .map(([x, y]) => document.elementFromPoint(x, y)).filter(there => !there || !element.contains(there))
    .map(there => there?.className ?? "outside").join();
}"""


@pytest.fixture
def project(transactional_db: None) -> Project:
    return long_captions()


def sideways(page: Page) -> int:
    """Return how many pixels stick out at the side."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def begin(sit: Sit, project: Project, task: Task, size: tuple[int, int] = (1440, 900), **options: Any) -> LabellingPage:
    width, height = size
    tab = sit(worker(project, "ada"), viewport={"width": width, "height": height}, **options)
    tab.open(task)
    tab.wait_for_picture()
    tab.wait_until_it_answers()
    return tab


def test_nothing_judged_is_hidden_without_a_button_that_leads_to_it_nor_covered(sit: Sit, project: Project) -> None:
    """On a desk everything is on the screen, and nothing waits."""
    tab = sit(worker(project, "ada"))
    for name, (width, height) in SIZES.items():
        tab.page.set_viewport_size({"width": width, "height": height})
        for task in PROTOCOL_TASKS:
            tab.open(task)
            tab.wait_for_picture()
            tab.wait_until_it_answers()
            assert name != "a desk" or tab.page.evaluate(HIDDEN) == 0
            if tab.page.locator(".below").count():
                tab.page.locator(".below").click(trial=True)  # a person can press it; nothing has scrolled yet
            look_at_everything(tab)
            parts = tab.page.locator("h1.ask, .captions > li:visible, .answers .answer, .others summary")
            assert parts.evaluate_all(f"all => all.map({COVERED}).filter(Boolean)") == [], (name, task)
            assert sideways(tab.page) <= 0, (name, task)


def assert_asks(tab: LabellingPage, place: int = 0) -> None:
    """The question is still there when the effect of a press would have been seen."""
    tab.wait_two_frames()
    assert tab.root.evaluate("({ dataset }) => [dataset.state, dataset.index]") == ["asking", str(place)]


def look_at_everything(tab: LabellingPage) -> None:
    """Follow the button that leads to hidden phrases until none is left: all have been on the screen."""
    tab.look()
    assert tab.page.evaluate("scrollY") or not tab.page.evaluate(HIDDEN)


@pytest.mark.parametrize("step", [112, pytest.param(16, marks=pytest.mark.long)])
def test_every_question_can_be_answered_in_a_window_of_any_width(
    sit: Sit, transactional_db: None, data_folder: Path, step: int
) -> None:
    """The hint leads to everything that is hidden, and whatever the width cuts off locks nobody out."""
    project = real_links(data_folder)
    tab = sit(worker(project, "ada"), bypass_csp=True)
    tab.page.add_init_script(f"addEventListener('DOMContentLoaded', () => ({CUT_OFF})())")
    widths = list(range(320, 1601, step))
    while widths:
        tab.open(Task.COREFERENCE_LINK)
        for place in range(Assignment.objects.get(state="active").size):
            tab.page.set_viewport_size({"width": widths.pop() if widths else 320, "height": 800})
            tab.wait_for_question(place)
            tab.wait_for_picture()
            tab.wait_until_it_answers()
            look_at_everything(tab)
            tab.press("2")
        assert "stored" in tab.submit()


def real_links(data_folder: Path, images: int = 12) -> Project:
    """Make links between phrases of real captions, so long that each wraps in narrow columns."""
    told: dict[int, list[str]] = defaultdict(list)
    for one in json.loads((data_folder / "coco" / "captions.json").read_text())["annotations"]:
        words = one["caption"].split()
        words[1], words[-2] = f"[{words[1]}", f"{words[-2]}]"
        told[one["image_id"]].append(" ".join(words))
    made = project_of(*(said(str(number), *texts, kind="animals") for number, texts in list(told.items())[:images]))
    show(made, encoded(ground(200, 100), "JPEG"))
    return made


def test_yes_all_of_them_waits_until_all_phrases_have_been_on_the_screen(sit: Sit, project: Project) -> None:
    tab = begin(sit, project, Task.CHAIN_VERIFICATION, SIZES["a small phone"])
    expect(tab.page.locator(".below")).to_have_text(re.compile(r"\d more phrases? below"))
    tab.page.locator(".below").click(trial=True)
    tab.press("1")
    expect(tab.page.get_by_text("First look at everything that is marked.")).to_be_visible()
    assert_asks(tab)
    look_at_everything(tab)
    tab.press("1")
    tab.wait_for("summary")


def test_a_double_click_answers_one_question(sit: Sit, transactional_db: None) -> None:
    """By the clock of the page: it is a double-click on a machine of any speed."""
    tab = sit(worker(three_questions(), "ada"))
    tab.page.clock.install()
    tab.open(Task.BOX_REQUIREMENT)
    tab.hold_the_clock()
    tab.page.evaluate(CLICK)
    tab.wait_for_question(1)
    tab.wait_for_picture()
    tab.page.clock.run_for(DOUBLE_CLICK)
    tab.page.evaluate(CLICK)
    tab.page.clock.resume()
    tab.wait_until_it_answers()
    assert_asks(tab, 1)
    tab.page.evaluate(CLICK)
    tab.wait_for_question(2)


def three_questions() -> Project:
    """Make a project with three questions whether there is something to box."""
    made = project_of(*(said(str(number), *without_marks(*CAPTIONS), kind="other") for number in range(3)))
    show(made, encoded(ground(200, 100), "JPEG"))
    return made


def test_answers_wait_for_a_slow_picture_and_say_so(sit: Sit, project: Project) -> None:
    tab = sit(worker(project, "ada"))
    held: list[Route] = []
    tab.page.route(PICTURE, lambda route: held.append(route))
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.get_by_text("Answers wait for the picture.")).to_be_visible()
    tab.page.keyboard.press("1")
    assert_asks(tab)
    expect(tab.page.locator("[data-answer]").first).to_be_disabled()
    assert held
    for route in held:
        route.continue_()
    tab.press("1")
    tab.wait_for("summary")


def test_a_picture_that_fails_can_be_tried_again_and_only_then_be_judged(sit: Sit, project: Project) -> None:
    tab = sit(worker(project, "ada"))
    tab.page.route(PICTURE, lambda route: route.fulfill(status=503), times=1)
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.get_by_text("Answers wait for the picture. Try it again above.")).to_be_visible()
    tab.page.keyboard.press("1")
    assert_asks(tab)
    tab.page.get_by_role("button", name="Try again").click()
    tab.press("1")
    assert "1 answer stored" in tab.submit()
    assert Judgment.objects.filter(worker__name="ada").count() == 1


def test_a_key_of_another_layout_answers_and_not_with_a_modifier(sit: Sit, project: Project) -> None:
    """frontend/tests/state/keys.test.ts knows more layouts."""
    key, code = "н", "KeyY"
    tab = begin(sit, project, Task.COREFERENCE_LINK)
    keyboard = tab.page.context.new_cdp_session(tab.page)
    for modifier in (1, 2, 4):  # Alt, Ctrl, Meta
        keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "code": code, "modifiers": modifier})
    assert_asks(tab)
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "code": code})
    tab.wait_for("summary")


def test_in_hebrew_captions_the_badges_stand_before_their_words_on_the_right(sit: Sit, transactional_db: None) -> None:
    project = long_captions(ProtocolSettings(caption_language="he"), captions=HEBREW)
    tab = begin(sit, project, Task.COREFERENCE_LINK)
    captions = tab.page.locator("ul.captions").first
    assert captions.get_attribute("lang") == "he"
    for line in captions.locator("li").all():
        assert line.evaluate("line => getComputedStyle(line).direction") == "rtl"
        mark = line.locator("mark")
        edges = mark.evaluate(
            """mark => {
          const words = document.createRange(), badge = mark.querySelector('.letter').getBoundingClientRect();
          const text = [...mark.childNodes].find(node => node.nodeType === 3);
          words.selectNodeContents(text);
          const { left, right } = words.getBoundingClientRect();
          const whole = mark.getBoundingClientRect();
          return [left, right, badge.left, whole.left, whole.right];
        }"""
        )
        left, right, badge, mark_left, mark_right = edges
        assert badge >= right and mark_left <= left and right <= mark_right
    expect(tab.page.locator("h1.ask bdi").first).to_have_attribute("lang", "he")


def test_screen_readers_hear_which_words_are_marked(sit: Sit, project: Project) -> None:
    tab = begin(sit, project, Task.BOX_QUALITY)
    heard = tab.page.locator("ul.captions").first.aria_snapshot()
    assert re.search("marked: an old man in a red coat ?, end of mark", " ".join(heard.split()))
    pair = begin(sit, project, Task.COREFERENCE_LINK)
    heard = " ".join(pair.page.locator("ul.captions").first.aria_snapshot().split())
    assert all(re.search(rf"{badge} ?: ?[a-z ]+, end of mark", heard) for badge in "AB")


def test_the_other_captions_of_the_picture_can_be_unfolded(sit: Sit, project: Project) -> None:
    tab = begin(sit, project, Task.BOX_DRAWING)
    hidden = tab.page.get_by_text("throws a stick")
    expect(hidden).to_be_hidden()
    tab.page.get_by_text("4 other captions of this picture").click()
    expect(hidden).to_be_visible()


def test_a_word_of_a_thousand_letters_does_not_widen_the_page(sit: Sit, transactional_db: None) -> None:
    word = "a" * 500
    project = long_captions(captions=(f"[{word}] waits .", f"[{word[1:]}] waits ."))
    width, height = SIZES["a phone"]
    tab = sit(worker(project, "ada"), viewport={"width": width, "height": height})
    for task in PROTOCOL_TASKS:
        tab.open(task)
        tab.wait_for_picture()
        assert sideways(tab.page) <= 0, task
