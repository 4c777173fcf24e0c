"""A crew annotates a drawn scene in Chromium, every task on its own screen, from captions to the export."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from annotation.models import Image, Project
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.support.crew import Edges, Hand, Keyboard, Mouse, Person, annotate, check_boxes, make_crew
from tests.support.labelling_page import LabellingPage, sign_in
from workers.models import Worker

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class Touch:
    """A person who taps and drags with a finger, on a phone."""

    options: ClassVar[dict[str, Any]] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
    }

    def choose(self, tab: LabellingPage, answer: Any) -> None:
        """Tap, and tap again if needed: Chromium takes a tap right after a drag for a part of the drag."""
        here = tab.page.locator(f'#work[data-state="asking"][data-index="{tab.index}"]')
        for tries_left in reversed(range(5)):
            tab.wait_until_it_answers()
            tab.page.locator(f'[data-answer="{answer}"]').tap()
            try:
                return expect(here).to_have_count(0, timeout=700)
            except AssertionError:
                if not tries_left:
                    raise

    def draw(self, tab: LabellingPage, edges: Edges) -> None:
        tab.picture.scroll_into_view_if_needed()
        (x0, y0), (x1, y1) = tab.on_screen(edges[:2]), tab.on_screen(edges[2:])
        finger = tab.page.context.new_cdp_session(tab.page)
        steps = [(x0 + (x1 - x0) * part / 4, y0 + (y1 - y0) * part / 4) for part in range(5)]
        for n, (x, y) in enumerate(steps):
            kind = "touchMove" if n else "touchStart"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.fixture
def crew(chromium: Browser, live_server: Any, scene: Project) -> Iterator[list[Person]]:
    """Make three people with a mouse, one with the keyboard alone, and one with a finger on a phone."""
    contexts: list[BrowserContext] = []

    def sit(who: Worker, hand: Any) -> LabellingPage:
        contexts.append(chromium.new_context(**hand.options))
        sign_in(contexts[-1], live_server.url, who)
        return LabellingPage(contexts[-1].new_page(), live_server.url, scene.name)

    hands: list[Hand] = [Mouse(), Keyboard(), Touch(), Mouse(), Mouse()]
    yield make_crew(scene, hands, sit)
    for context in contexts:
        context.close()


def test_a_scene_goes_from_captions_to_the_export_by_the_real_screens(
    crew: list[Person], scene: Project, tmp_path: Path
) -> None:
    done = annotate(crew, scene)
    assert Image.objects.get().state == "merged"
    assert done[Mouse] | done[Keyboard] | done[Touch] == set(PROTOCOL_TASKS)
    for hand in (Keyboard, Touch):
        assert Task.BOX_DRAWING in done[hand] and len(done[hand]) >= 3, f"{hand.__name__} did {done[hand]}"
    assert list(replay(scene)) == []
    check_boxes(crew, scene, tmp_path / "export")
