"""Measures the ways to draw and confirm boxes, in Chromium on a running demo: scripts/measure_drawing.py ADDRESS.

Every way draws the same boxes. Inputs are presses of keys and pointers; a whole drag is one. The pointer travels in
straight lines, so its distance is the least that a hand can do. docs/why/results.md has the figures.
"""

import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

QUESTIONS = 20
SEED = 7
Box = tuple[float, float, float, float]
DEFAULTS = {"draw_by": "drag", "confirm_by_double_click": False}
guest: dict[str, Any] = {}
"""The cookies of the demo's guest, and the address where they draw."""
assigned: dict[str, Any] = {}
"""The service's response when the first page asked for work."""

# Runs before the page's own scripts, which keep keys from whoever comes later.
COUNT = """
window.inputs = 0; window.travelled = 0; let last = null;
const move = ({ clientX: x, clientY: y }) => {
  if (last) travelled += Math.hypot(x - last[0], y - last[1]);
  last = [x, y];
};
for (const name of ["pointerdown", "keydown"]) addEventListener(name, ({ key }) => key === "Shift" || inputs++, true);
addEventListener("pointermove", move, true);
try { localStorage.setItem("chainbox tour box_drawing", "seen"); } catch {}
"""
PATCH = """async (body) => {
  const headers = { "Content-Type": "application/json", Authorization: "Bearer " + work.dataset.bearer };
  const { ok } = await fetch("/api/v1/preferences/", { method: "PATCH", headers, body: JSON.stringify(body) });
  return ok;
}"""


def drag(page: Page, box: Box) -> None:
    page.mouse.move(box[0], box[1])
    page.mouse.down()
    page.mouse.move(box[2], box[3])
    page.mouse.up()


def two_clicks(page: Page, box: Box) -> None:
    page.mouse.click(box[0], box[1])
    page.mouse.click(box[2], box[3])


def four_points(page: Page, box: Box) -> None:
    """Click the ends of an ellipse in the box: top, left, bottom, right."""
    x0, y0, x1, y1 = box
    for x, y in (((x0 + x1) / 2, y0), (x0, (y0 + y1) / 2), ((x0 + x1) / 2, y1), (x1, (y0 + y1) / 2)):
        page.mouse.click(x, y)


def key(name: str) -> Callable[[Page, Box], None]:
    return lambda page, box: page.keyboard.press(name)


def press(selector: str) -> Callable[[Page, Box], None]:
    """Move the pointer to a control by mouse and press it."""
    return lambda page, box: page.locator(selector).click()


def double_click(page: Page, box: Box) -> None:
    """Click the box twice, just inside the corner where the drag ended."""
    page.mouse.dblclick(box[2] - 20, box[3] - 20)


WAYS: list[tuple[str, str, dict[str, Any], Callable[[Page, Box], None], Callable[[Page, Box], None]]] = [
    ("drag", "the answer button", {}, drag, press('[data-answer="box"]')),
    ("drag", "Enter", {}, drag, key("Enter")),
    ("drag", "Space", {}, drag, key(" ")),
    ("drag", "tick at the box", {}, drag, press(".tick")),
    ("drag", "double-click", {"confirm_by_double_click": True}, drag, double_click),
    ("two clicks", "Space", {"draw_by": "two clicks"}, two_clicks, key(" ")),
    ("two clicks", "tick at the box", {"draw_by": "two clicks"}, two_clicks, press(".tick")),
    ("extreme points", "Space", {"draw_by": "extreme points"}, four_points, key(" ")),
    ("extreme points", "tick at the box", {"draw_by": "extreme points"}, four_points, press(".tick")),
]


@contextmanager
def drawing_page(browser: Browser, address: str, preferences: dict[str, Any], **options: Any) -> Iterator[Page]:
    """Open box drawing as the demo's guest with these preferences."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
    page = context.new_page()
    page.add_init_script(COUNT)
    if not guest:
        page.goto(address)
        page.get_by_role("button", name="Try it as a worker").click()
        guest.update({"place": f"{page.url}box_drawing/", "cookies": context.cookies()})
    context.add_cookies(guest["cookies"])
    page.route("**/api/v1/**/assignments/", one_assignment)
    page.route("**/draft/", lambda route: route.fulfill(json={"seconds_left": 1800, "bearer": None}))
    page.goto(guest["place"])
    if not page.evaluate(PATCH, DEFAULTS | preferences):
        sys.exit("The service refused the preferences.")
    page.goto(guest["place"])
    wait(page)
    yield page
    context.close()


def one_assignment(route: Route) -> None:
    """Give all pages the questions of the first one, as often as needed, so that the demo's do not run out."""
    if not assigned:
        assigned.update(route.fetch().json())
        if not assigned["assignment"]:
            sys.exit(f"The demo has no box to draw: {assigned['message']}")
        questions, token = assigned["assignment"]["questions"], assigned["assignment"]["token"]
        back = f"{urljoin(route.request.url, '/api/v1/assignments/')}{token}/return/"
        route.request.frame.page.request.post(back, headers={"Authorization": route.request.headers["authorization"]})
        assigned["assignment"]["questions"] = [{**questions[0], "boxes": []}] * QUESTIONS
    route.fulfill(json=assigned)


def wait(page: Page) -> None:
    page.locator('#work[data-state="asking"]').wait_for()
    page.locator('.stage[data-loading="shown"]').wait_for()


def boxes(page: Page) -> Iterator[Box]:
    """Yield boxes on the picture, in pixels of the window: sides from a tenth to a half of the picture."""
    at = page.locator("svg.plane image").bounding_box()
    assert at is not None
    chance = random.Random(SEED)
    while True:
        width, height = (at[side] * chance.uniform(0.1, 0.5) for side in ("width", "height"))  # type: ignore[literal-required]
        x, y = at["x"] + chance.random() * (at["width"] - width), at["y"] + chance.random() * (at["height"] - height)
        yield (x, y, x + width, y + height)


def measure(page: Page, draw: Callable[[Page, Box], None], confirm: Callable[[Page, Box], None]) -> tuple[float, float]:
    """Return inputs and travelled pixels per box, without what submits an assignment."""
    root = page.locator("#work")
    for number, box in zip(range(QUESTIONS), boxes(page), strict=False):
        expect(root).to_have_attribute("data-index", str(number))
        draw(page, box)
        confirm(page, box)
    expect(root).to_have_attribute("data-state", "summary")
    inputs, travelled = page.evaluate("[inputs, travelled]")
    return inputs / QUESTIONS, travelled / QUESTIONS


def picture_area(page: Page) -> str:
    """Return how many pixels of the window show the picture, before and in full screen."""
    areas = []
    for _ in range(2):
        at = page.locator("svg.plane image").bounding_box()
        assert at is not None
        areas.append(round(at["width"] * at["height"]))
        page.keyboard.press("f")
        page.wait_for_function("document.documentElement.classList.contains('full')") if len(areas) == 1 else None
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return f"{areas[0]:,} | {areas[1]:,} | {areas[1] / areas[0]:.1f}"


def main(address: str) -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--disable-gpu", *sandbox])
        print("| drawn by | confirmed by | inputs a box | pixels travelled a box |\n|---|---|---|---|")
        for drawn, confirmed, preferences, draw, confirm in WAYS:
            with drawing_page(browser, address, preferences) as page:
                inputs, travelled = measure(page, draw, confirm)
            print(f"| {drawn} | {confirmed} | {inputs:.2f} | {travelled:,.0f} |", flush=True)
        print("\n| phone | picture, px² | full screen, px² | times |\n|---|---|---|---|")
        for width, height in ((390, 844), (844, 390)):
            phone = {"viewport": {"width": width, "height": height}, "has_touch": True, "is_mobile": True}
            with drawing_page(browser, address, {}, **phone) as page:
                print(f"| {width} x {height} | {picture_area(page)} |", flush=True)
        with drawing_page(browser, address, {}) as page:
            page.keyboard.press("+")
            page.keyboard.press("+")
            zoom = page.locator("svg.plane").get_attribute("data-zoom")
            page.keyboard.press("n")
            expect(page.locator("#work")).to_have_attribute("data-index", "1")
            wait(page)
            kept = page.locator("svg.plane").get_attribute("data-zoom")
            print(f"\nZoom of a question: {zoom}; at first of the next one about the same picture: {kept}.")
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give the address of a running demo: scripts/measure_drawing.py http://127.0.0.1:8000")
    main(sys.argv[1])
