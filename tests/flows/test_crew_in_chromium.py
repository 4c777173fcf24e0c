"""A crew annotates a drawn scene in Chromium, every task on its own screen, from captions to the export."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Browser, BrowserContext

from annotation.models import Image, Project
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from tests.support.browsers import new_context
from tests.support.crew import Edges, Hand, Keyboard, Mouse, Person, annotate, check_boxes, make_crew
from tests.support.labelling_page import LabellingPage, sign_in
from workers.models import Worker

pytestmark = pytest.mark.django_db(transaction=True)


DRAG, REST = 0.1, 0.1
"""Seconds of a finger's way, and of its rest at the end."""


class Touch:
    """A person who taps and drags with a finger, on a phone."""

    options: ClassVar[dict[str, Any]] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
    }
    off: ClassVar[int] = 3

    def choose(self, tab: LabellingPage, answer: Any) -> None:
        tab.wait_until_it_answers()
        tab.page.locator(f'[data-answer="{answer}"]').tap()

    def draw(self, tab: LabellingPage, edges: Edges) -> None:
        """Drag, and rest before the finger is lifted: else Chromium sees a fling, which the next tap would only stop.

        The times of the events say so, whatever the machine needs: all lie between now and the wait for the question.
        """
        tab.picture.scroll_into_view_if_needed()
        (x0, y0), (x1, y1) = tab.on_screen(edges[:2]), tab.on_screen(edges[2:])
        finger, begun = tab.page.context.new_cdp_session(tab.page), time.time() - REST - DRAG
        steps = [(x0 + (x1 - x0) * part / 4, y0 + (y1 - y0) * part / 4) for part in range(5)]
        for part, (x, y) in enumerate([*steps, steps[-1]]):
            kind, at = "touchMove" if part else "touchStart", begun + DRAG * part / 4
            at = begun + DRAG + REST if part == len(steps) else at
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}], "timestamp": at})
        finger.send(
            "Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [], "timestamp": begun + DRAG + REST}
        )


@pytest.fixture
def crew(chromium: Browser, live_server: Any, scene: Project) -> Iterator[list[Person]]:
    """Make people with a mouse, with the keyboard alone, and with a finger on a phone, and two who send requests."""
    contexts: list[BrowserContext] = []

    def sit(who: Worker, hand: Any) -> LabellingPage:
        contexts.append(new_context(chromium, **hand.options))
        sign_in(contexts[-1], live_server.url, who)
        return LabellingPage(contexts[-1].new_page(), live_server.url, scene.name)

    hands: list[Hand] = [Mouse(), Keyboard(), Touch()]
    yield make_crew(scene, hands, sit, others=2)
    for context in contexts:
        context.close()


@pytest.mark.smoke
def test_a_scene_goes_from_captions_to_the_export_by_the_real_screens(
    crew: list[Person], scene: Project, tmp_path: Path
) -> None:
    done = annotate(crew, scene)
    assert Image.objects.get().state == "merged"
    assert done == {hand: set(PROTOCOL_TASKS) for hand in (Mouse, Keyboard, Touch)}
    assert list(replay(scene)) == []
    check_boxes(crew, scene, tmp_path / "export")
