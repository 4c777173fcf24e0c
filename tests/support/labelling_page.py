"""The labelling page in a browser, as a worker uses it. Points and boxes are in pixels of the upright image."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Error, FrameLocator, Locator, Page, expect

from pipeline.protocol.tasks.task import Task
from workers.models import Worker

Point = tuple[float, float]

# Where a point of the picture is on the screen.
ON_SCREEN = "(svg, [x, y]) => { const p = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }"
CORNER = "plane => { const { x, y } = plane.getBoundingClientRect(); return [x, y]; }"
# The answer, or the name of the field, that has the focus.
FOCUSED = "(e => e.dataset?.answer ?? e.closest('label')?.firstChild?.textContent ?? '')(document.activeElement)"
THERE = """name => [...document.querySelectorAll('label, [data-answer]')]
  .some(one => one.dataset.answer === name || one.firstChild?.textContent === name)"""
"""Whether a field, or an answer, has this name. Some fields come a moment after the key that shows them."""
STOPS = 60
"""More than Tab makes on a labelling page."""
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
ALL_MET = "".join(f"localStorage.setItem('chainbox tour {task.value}', 'seen');" for task in Task)


def session_of(who: Worker) -> str:
    """Sign the worker in and return the session's key; a worker without an account gets one."""
    if who.user is None:
        who.user = User.objects.create_user(who.name)
        who.save()
    client = Client()
    client.force_login(who.user)
    return str(client.cookies["sessionid"].value)


def sign_in(context: BrowserContext, address: str, who: Worker) -> None:
    """The browser has the session of this worker from now on."""
    context.add_cookies([{"name": "sessionid", "value": session_of(who), "url": address}])


def wait_until_it_answers(page: Page | FrameLocator) -> None:
    """Wait until a press can be meant for what is on the screen: nothing answers before."""
    expect(page.locator('[data-answers="wait"]')).to_have_count(0)


def complaints(page: Page) -> list[str]:
    """A list that grows with every error of the page, and with everything that its content policy forbade."""
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.add_init_script("addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))")
    return said


def edges_near(edges: Sequence[float], within: float) -> str:
    """Return a pattern of the boxes whose edges are no farther away than this."""
    near = (range(math.ceil(edge - within), math.floor(edge + within) + 1) for edge in edges)
    return ",".join(f"({'|'.join(map(str, one))})" for one in near)


@dataclass(slots=True)
class LabellingPage:
    """A tab in which somebody works on a project; `address` is the server's, without a path."""

    page: Page
    address: str
    project: str
    inside: FrameLocator | None = None
    """The frame of another site that holds the page."""

    @property
    def view(self) -> Page | FrameLocator:
        return self.inside or self.page

    def open(self, task: Task, state: str = "asking", *, met: bool = True) -> None:
        """Open a task and wait until the page is in this state. `met`: the worker has seen the rules before."""
        if met:
            self.page.add_init_script(f"try {{ {ALL_MET} }} catch {{}}")
        self.page.goto(f"{self.address}/work/{self.project}/{task.value}/")
        self.wait_for(state)

    def ask(self, task: Task) -> None:
        """Open a task and wait until its first question can be answered."""
        self.open(task)
        self.wait_for_picture()
        self.wait_until_it_answers()

    def hold_the_clock(self) -> None:
        """The page's installed clock stands still until it is put forward or resumed: no timer acts on its own.

        What is on the screen answers already, or it never would.
        """
        self.wait_until_it_answers()
        try:
            self._pause_in_a_second()
        except Error as error:  # on a busy machine the second was over, and the clock stands still already
            if "to the past" not in str(error):
                raise
            self._pause_in_a_second()

    def _pause_in_a_second(self) -> None:
        soon = self.page.evaluate("Date.now()") / 1000 + 1
        self.page.clock.pause_at(datetime.fromtimestamp(soon, UTC))

    @property
    def root(self) -> Locator:
        return self.view.locator("#work")

    @property
    def picture(self) -> Locator:
        return self.view.locator("svg.plane")

    def wait_for(self, state: str) -> None:
        """loading, learning, asking, summary, sending, sent, empty or error."""
        expect(self.root).to_have_attribute("data-state", state)
        if state == "learning":  # the lesson is loaded when it is first shown
            self.wait_until_it_answers()

    def wait_for_question(self, place: int) -> None:
        expect(self.root).to_have_attribute("data-index", str(place))

    def wait_for_picture(self) -> None:
        expect(self.view.locator('.stage[data-loading="shown"]')).to_be_visible()

    def wait_for_box(self, edges: Sequence[float], within: float = 0) -> list[int]:
        """Wait until this box is drawn, each edge off by no more than `within`, and return its edges."""
        expect(self.picture).to_have_attribute("data-box", re.compile(f"^{edges_near(edges, within)}$"))
        return [int(edge) for edge in (self.picture.get_attribute("data-box") or "").split(",")]

    def wait_for_no_box(self) -> None:
        expect(self.picture).to_have_attribute("data-box", "")

    def wait_two_frames(self) -> None:
        """Let the page paint what a press does: nothing, if nothing is seen then."""
        self.page.evaluate(TWO_FRAMES)

    def walk_to(self, name: str) -> None:
        """Press Tab until the answer, or the field, of this name has the focus."""
        self.page.wait_for_function(THERE, arg=name)
        for _ in range(STOPS):
            if self.page.evaluate(FOCUSED) == name:
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to {name!r}")

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def wait_until_it_answers(self) -> None:
        wait_until_it_answers(self.view)

    def look(self) -> None:
        """Follow the button that leads to what is out of sight until nothing is, and wait until answers count.

        It may go at any moment: what it leads to may come into sight without it.
        """
        self.wait_until_it_answers()
        more = self.page.locator(".below")
        while counted := more.all_inner_texts():
            more.evaluate_all("all => all.forEach(one => one.click())")
            expect(more.filter(has_text=counted[0])).to_have_count(0)
        expect(self.page.locator('.frame[data-answers="open"]')).to_have_count(1)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.wait_until_it_answers()
            self.page.keyboard.press(key)

    def answer(self, value: Any) -> None:
        """Press the button of this answer, once it is there for the question in view."""
        self.wait_until_it_answers()
        self.view.locator(f'[data-answer="{value}"]').click()

    def on_screen(self, point: Point) -> tuple[float, float]:
        """Return the place of a point of the image, in pixels of the window."""
        x, y = self.picture.evaluate(ON_SCREEN, list(point))
        if self.inside is None:
            return x, y
        # A frame knows only its own corner.
        whole, (left, top) = self.picture.bounding_box(), self.picture.evaluate(CORNER)
        assert whole is not None
        return whole["x"] + x - left, whole["y"] + y - top

    @property
    def scale(self) -> float:
        """Pixels of the window for each pixel of the image."""
        return math.dist(self.on_screen((0, 0)), self.on_screen((1, 0)))

    def drag(self, start: Point, end: Point) -> None:
        """Drag with the mouse from one point of the image to another."""
        mouse = self.page.mouse
        mouse.move(*self.on_screen(start))
        mouse.down()
        mouse.move(*self.on_screen(end), steps=3)
        mouse.up()

    def submit(self) -> str:
        """Send from the summary, wait until it is stored, and return what the page says."""
        self.wait_for("summary")
        self.wait_until_it_answers()
        self.page.locator("[data-submit]").click()
        self.wait_for("sent")
        self.wait_until_it_answers()
        return self.page.locator("main").inner_text()

    def draft(self) -> dict[str, Any] | None:
        """Return the draft of the assignment in view that this browser keeps."""
        kept = self.page.evaluate("Object.entries(localStorage).filter(([key]) => key.startsWith('chainbox draft '))")
        return json.loads(kept[0][1]) if kept else None
