"""Somebody in front of the labelling page, in a frame or in a tab of its own, who knows every right answer."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import FrameLocator, Page, expect

from pipeline.models import Assignment, KnownQuestion
from pipeline.rules.tasks.task import Task
from tests.support.being_tested import TRUTHS
from tests.support.labelling_page import ON_SCREEN, wait_until_it_answers

IN_ITS_WINDOW = "plane => { const { x, y } = plane.getBoundingClientRect(); return [x, y]; }"
LESSONS = ("Try the examples", "Next example", "Done", "Begin the test")


@dataclass(slots=True)
class Visitor:
    """`inside`: what holds the labelling page. At first contact they start without the examples."""

    page: Page
    inside: Page | FrameLocator

    def wait_for(self, state: str) -> None:
        expect(self.inside.locator("#work")).to_have_attribute("data-state", state)

    def press(self, words: str) -> None:
        wait_until_it_answers(self.inside)
        self.inside.get_by_role("button", name=words).click()

    def take_test(self) -> None:
        """From the rule and the examples to the result."""
        self.wait_for("learning")
        for words in LESSONS:
            self.press(words)
        self.wait_for("asking")
        self._answer_all()
        self.press("Hand in the test")
        expect(self.inside.get_by_role("heading", name="Test passed")).to_be_visible()

    def work(self) -> None:
        """One assignment, up to the button that sends it."""
        expect(self.inside.locator('#work[data-state="asking"], [data-start]')).to_be_visible()
        if self.inside.locator("[data-start]").count():
            self.press("Start without")
        self.wait_for("asking")
        self._answer_all()
        self.press("Submit")

    def _answer_all(self) -> None:
        """Give the right answers by mouse. Questions and right answers are read from the database."""
        assignment = Assignment.objects.get(state=Assignment.State.ACTIVE)
        task = Task(assignment.task)
        for place in range(assignment.size):
            here = self.inside.locator(f'#work[data-state="asking"][data-index="{place}"]')
            expect(here).to_be_attached()
            self._give(task, _truth(assignment, task, place))
            expect(here).to_have_count(0)
        self.wait_for("summary")

    def _give(self, task: Task, truth: Any) -> None:
        value = truth
        if task is Task.BOX_DRAWING:
            value = "box" if truth else "none_missing"
            if truth:
                self._draw(*truth[0])
        wait_until_it_answers(self.inside)
        self.inside.locator(f'[data-answer="{value}"]').click()

    def _draw(self, x0: int, y0: int, x1: int, y1: int) -> None:
        expect(self.inside.locator('.stage[data-loading="shown"]')).to_be_visible()
        mouse = self.page.mouse
        mouse.move(*self._on_screen(x0, y0))
        mouse.down()
        mouse.move(*self._on_screen(x1, y1), steps=3)
        mouse.up()

    def _on_screen(self, x: int, y: int) -> tuple[float, float]:
        """Return the place of a point of the image in the window: the frame knows only its own corner."""
        plane = self.inside.locator("svg.plane")
        whole, (left, top), (at_x, at_y) = (
            plane.bounding_box(),
            plane.evaluate(IN_ITS_WINDOW),
            plane.evaluate(ON_SCREEN, [x, y]),
        )
        assert whole is not None
        return whole["x"] + at_x - left, whole["y"] + at_y - top


def _truth(assignment: Assignment, task: Task, place: int) -> Any:
    """Of a question of the project itself: that the phrase means something, and all is well with it."""
    known = assignment.known.get(str(place))
    return KnownQuestion.objects.get(id=known).truth if known else TRUTHS[task][0]
