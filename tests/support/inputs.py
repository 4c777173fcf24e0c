"""Count what a worker does with hand and mouse: inputs per question, the batch's own included, and travelled pixels."""

import random
from dataclasses import dataclass, replace
from typing import Any

from playwright.sync_api import Page, expect

from annotation.models import Project
from pipeline.rules.tasks.task import Task
from tests.support.labelling_page import LabellingPage
from tests.support.pictures import encoded
from tests.support.projects import answer, box, phrases, project_of, worker
from tests.support.six_tasks import ground, show

SIZE = (600, 400)
OPENS = {
    Task.COREFERENCE_LINK: ("animals: a cat", "animals: the pet"),
    Task.CHAIN_VERIFICATION: ("animals: a cat", "animals: the pet"),
    Task.BOX_REQUIREMENT: ("other: a ball",),
    Task.BOX_DRAWING: ("people: a girl",),
    Task.BOX_QUALITY: ("people: a girl",),
    Task.BOX_COVERAGE: ("people: a girl",),
}
"""The captions of an image of which the task is open, after the answers below."""
DRAWN = (Task.BOX_DRAWING, box(150, 80, 420, 330))
BEFORE: dict[Task, list[tuple[Task, Any]]] = {
    Task.CHAIN_VERIFICATION: [(Task.COREFERENCE_LINK, "same")],
    Task.BOX_QUALITY: [DRAWN],
    Task.BOX_COVERAGE: [DRAWN, (Task.BOX_QUALITY, "good")],
}
COUNTER = """
    const seen = window.counted = {inputs: 0, pixels: 0};
    let last = null;
    addEventListener('keydown', (event) => { if (!event.repeat) seen.inputs += 1; }, true);
    addEventListener('pointerdown', () => { seen.inputs += 1; }, true);
    addEventListener('pointermove', ({clientX: x, clientY: y}) => {
        if (last) seen.pixels += Math.hypot(x - last[0], y - last[1]);
        last = [x, y];
    }, true);
"""
WAY_BACK = 5_000
"""Milliseconds for which a batch that goes by itself can be taken back."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Inputs and travelled pixels that the questions took."""

    questions: int
    inputs: int
    pixels: float

    def __str__(self) -> str:
        return f"{self.inputs / self.questions:.2f} inputs, {self.pixels / self.questions:,.0f} px a question"


def many_open(task: Task, count_of: int) -> Project:
    """Make a project in which as many questions of the task are open to everybody but bob and eve."""
    width, height = SIZE
    images = (phrases(*OPENS[task], name=str(number)) for number in range(count_of))
    project = project_of(*(replace(one, width=width, height=height) for one in images))
    for turn, (before, given) in enumerate(BEFORE.get(task, [])):
        answer(project, worker(project, ("bob", "eve")[turn]), before, *[given] * count_of)
    show(project, encoded(ground(*SIZE), "JPEG"))
    return project


def count(tab: LabellingPage, task: Task, batches: int, *, by: str, by_itself: bool) -> Counted:
    """Answer so many batches by "mouse" or by "keys", until they are stored, and count from the first question on."""
    tab.page.add_init_script(COUNTER)
    tab.page.clock.install()
    tab.open(task)
    lot, size = random.Random(f"{task} answers"), int(tab.root.get_attribute("data-total") or 0)
    for batch in range(batches):
        for place in range(size):
            expect(tab.root).to_have_attribute("data-index", str(place))
            tab.wait_for_picture()
            tab.wait_until_it_answers()
            last = place == size - 1
            with_next = last and by_itself and batch < batches - 1
            if with_next:
                expect(tab.root).to_have_attribute("data-ahead", "ready")
            _answer(tab, task, by, lot)
        if by_itself and batch < batches - 1:
            tab.page.clock.fast_forward(WAY_BACK)
            expect(tab.page.locator("[data-take-back]")).to_have_count(0)
        if by_itself:
            continue
        tab.wait_for("summary")
        tab.wait_until_it_answers()
        _press(tab.page, "[data-submit]", by)
        tab.wait_for("sent")
        if batch < batches - 1:
            _press(tab.page, "[data-next]", by)
            tab.wait_for("asking")
    if by_itself:
        tab.wait_for("summary")  # the last batch has none after it
        tab.page.clock.fast_forward(WAY_BACK)
        tab.wait_for("empty")
    seen = tab.page.evaluate("window.counted")
    return Counted(batches * size, seen["inputs"], seen["pixels"])


def _answer(tab: LabellingPage, task: Task, by: str, lot: random.Random) -> None:
    if task is not Task.BOX_DRAWING:
        buttons = tab.page.locator("[data-answer]")
        chosen = lot.randrange(buttons.count())
        if by == "mouse":
            buttons.nth(chosen).click()
        else:
            tab.press(str(chosen + 1))
        return
    tab.drag((lot.uniform(60, 250), lot.uniform(40, 150)), (lot.uniform(330, 540), lot.uniform(230, 360)))
    expect(tab.page.locator('[data-answer="box"]')).to_be_enabled()
    if by == "mouse":
        tab.answer("box")
    else:
        tab.press("Enter")


def _press(page: Page, button: str, by: str) -> None:
    if by == "mouse":
        page.locator(button).click()
    else:
        page.keyboard.press("Enter")
