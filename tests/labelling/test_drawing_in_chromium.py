"""In Chromium: a box is where it was drawn, by few inputs; scripts/count_inputs.py counts those of longer runs."""

import io
import math
import os
import random
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image as Picture
from playwright.sync_api import CDPSession, FloatRect, Locator, Page, TimeoutError, expect

from annotation.models import Box, Project
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from pipeline.models import Judgment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.table_3 import BATCH
from pipeline.tick import tick
from tests.labelling.conftest import Sit
from tests.support.labelling_page import LabellingPage, Point
from tests.support.pictures import encoded
from tests.support.projects import answer, box, phrases, project_of, worker
from tests.support.six_tasks import ground, show
from workers.change_preferences import change_preferences

SIZE = (600, 400)
OPENS = {
    Task.COREFERENCE_LINK: ("animals: a cat", "animals: the pet"),
    Task.CHAIN_VERIFICATION: ("animals: a cat", "animals: the pet"), Task.BOX_REQUIREMENT: ("other: a ball",),
    Task.BOX_DRAWING: ("people: a girl",), Task.BOX_QUALITY: ("people: a girl",),
    Task.BOX_COVERAGE: ("people: a girl",),
}  # fmt: skip
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


DRAW = Task.BOX_DRAWING
MARK = (660, 200, 780, 340)
"""A red rectangle on the picture, by whose place one sees whether the picture is upright."""
RED, LYING = (200, 30, 30), 6


def image(name: str = "1", width: int = 1200, height: int = 800) -> DatasetImage:
    return replace(phrases("people: a man", name=name), width=width, height=height)


def marked(orientation: int = 1) -> bytes:
    """A JPEG of 1200 by 800 upright pixels with the mark; in its file it lies as EXIF says."""
    picture = ground(1200, 800)
    picture.paste(RED, MARK)
    exif = Picture.Exif()
    exif[0x0112] = orientation
    stored = picture.transpose(Picture.Transpose.ROTATE_90) if orientation == LYING else picture
    return encoded(stored, "JPEG", quality=95, exif=exif)


def drawing(*images: DatasetImage, jpeg: bytes = b"") -> Project:
    project = project_of(*(images or [image()]))
    show(project, jpeg or marked())
    return project


def begin(sit: Sit, project: Project, **options: object) -> LabellingPage:
    tab = sit(worker(project, "ada"), **options)
    tab.ask(DRAW)
    return tab


def colour(tab: LabellingPage, point: Point) -> tuple[int, int, int]:
    """Return the colour that the screen shows at a point of the image."""
    x, y = (math.floor(value) for value in tab.on_screen(point))
    shot = Picture.open(io.BytesIO(tab.page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})))
    red, green, blue = shot.convert("RGB").getpixel((0, 0))  # type: ignore[misc]
    return red, green, blue


def is_red(colour: tuple[int, int, int]) -> bool:
    return colour[0] > 150 and max(colour[1:]) < 90


def around(box: list[int], far: float) -> list[tuple[Point, Point]]:
    """Points just inside and just outside each side of a box, away from its handles."""
    x0, y0, x1, y1 = box
    x, y = x0 + (x1 - x0) / 4, y0 + (y1 - y0) / 4
    sides: list[tuple[Point, Point]] = [
        ((x0 + far, y), (x0 - far, y)), ((x1 - far, y), (x1 + far, y)), ((x, y0 + far), (x, y0 - far)),
        ((x, y1 - far), (x, y1 + far)),
    ]  # fmt: skip
    return sides


@pytest.mark.parametrize("orientation", [1, LYING], ids=["upright", "turned by EXIF"])
def test_a_drag_lands_within_a_screen_pixel_on_what_is_shown(sit: Sit, orientation: int) -> None:
    tab = begin(sit, drawing(jpeg=marked(orientation)))
    x0, y0, x1, y1 = MARK
    for zoom in (1, 4):
        tab.page.mouse.move(*tab.on_screen(((x0 + x1) / 2, (y0 + y1) / 2)))
        while float(before := tab.picture.get_attribute("data-zoom") or "") < zoom - 0.01:
            tab.page.mouse.wheel(0, max(-200, -math.log(zoom / float(before)) / 0.002))
            expect(tab.picture).not_to_have_attribute("data-zoom", before)
        tab.drag((x0, y0), (x1, y1))
        scale = tab.scale
        box = tab.wait_for_box(MARK, within=max(0.5, 1 / scale))
        tab.page.mouse.move(2, 2)  # the lines through the pointer are not looked at
        for inside, outside in around(box, 5 / scale):
            assert is_red(colour(tab, inside)), (zoom, inside)
            assert not is_red(colour(tab, outside)), (zoom, outside)
        tab.press("x")
        expect(tab.picture).to_have_attribute("data-box", "")


def test_what_was_shown_is_what_is_stored_and_exported(sit: Sit, tmp_path: Path) -> None:
    project = drawing()
    tab = begin(sit, project)
    tab.drag((650, 190), (850, 470))
    tab.drag((850, 470), MARK[2:])
    tab.press("ArrowRight", "Shift+ArrowDown", "e", "ArrowLeft")
    ten = round(10 / tab.scale)
    shown = tab.wait_for_box((650, 190 + ten, MARK[2] + 1, MARK[3] + ten), within=2)
    tab.press("#")
    for name, edge in zip(("Left", "Top", "Right", "Bottom"), shown, strict=True):
        expect(tab.page.get_by_label(name, exact=True)).to_have_value(str(edge))
    tab.answer("box")
    assert "1 answer stored" in tab.submit()
    judgment = Judgment.objects.get()
    tick(project_id=project.id)
    row = Box.objects.get()
    assert judgment.answer["box"] == [row.x0, row.y0, row.x1, row.y1] == shown
    bob, eve = worker(project, "bob"), worker(project, "eve")
    answer(project, bob, Task.BOX_QUALITY, "good")
    answer(project, bob, Task.BOX_COVERAGE, "all there")
    answer(project, eve, Task.BOX_COVERAGE, "all there")
    export_dataset(project=project, target=tmp_path / "out", export_format="flickr30k-entities")
    written = ElementTree.parse(tmp_path / "out" / "Annotations" / "1.xml").find("object/bndbox")
    assert written is not None
    corners = [int(written.findtext(name, "")) for name in ("xmin", "ymin", "xmax", "ymax")]
    assert corners == [shown[0] + 1, shown[1] + 1, shown[2], shown[3]]


def touch(session: CDPSession, *positions: list[Point]) -> None:
    """Fingers go down on points of the window, on to others, and up."""
    for number, points in enumerate([*positions, []]):
        kind = "touchEnd" if not points else "touchMove" if number else "touchStart"
        fingers = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def test_a_finger_draws_and_two_fingers_zoom(sit: Sit) -> None:
    tab = begin(sit, drawing(), viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    scale = tab.scale
    start, middle, end = (tab.on_screen(point) for point in ((300, 200), (500, 300), (900, 600)))
    fingers = tab.page.context.new_cdp_session(tab.page)
    touch(fingers, [start], [middle], [end])
    drawn = tab.wait_for_box((300, 200, 900, 600), within=1 / scale)
    left, right = tab.on_screen((560, 400)), tab.on_screen((640, 400))
    touch(fingers, [left, right], [(left[0] - 60, left[1]), (right[0] + 60, right[1])])
    expect(tab.picture).to_have_attribute("data-zoom", re.compile(r"^([2-9]|\d\d)"))
    tab.wait_for_box(drawn)


# Runs before the page's own scripts, which keep keys from whoever comes later.


def test_a_box_that_was_not_confirmed_is_named_in_the_summary_and_sent_only_once_it_is(sit: Sit) -> None:
    tab = begin(sit, drawing(image("1"), image("2")))
    tab.drag((100, 100), (300, 250))
    box = tab.wait_for_box((100, 100, 300, 250), within=2)
    tab.page.get_by_label("Question 2, open").click()
    tab.press("n")
    tab.wait_for("summary")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("1 left out")
    tab.page.get_by_role("button", name="Question 1: drawn, not confirmed").click()
    tab.wait_for_box(box)
    tab.press("Enter")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("All 2 answered")
    assert "2 answers stored" in tab.submit()
    assert {"box": box} in Judgment.objects.values_list("answer", flat=True)


CLASHES = """() => {
  const parts = [...document.querySelectorAll('.stage .ground, .stage .tool, .numbers label, .aids textarea')]
    .map((part) => [part.className || part.tagName, part.getBoundingClientRect()]).filter(([, { width }]) => width);
  const apart = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) < 1
    || Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) < 1;
  const small = parts.filter(([name, { height }]) => name.includes("tool") && height > 50).map(([name]) => name);
  return [...small, ...parts.flatMap(([name, a], i) =>
    parts.slice(i + 1).filter(([, b]) => !apart(a, b)).map(([other]) => `${name} and ${other}`))];
}"""
"""Names of what lies over something else, and of tools whose words break."""


@pytest.mark.parametrize("touch", [False, True])
def test_picture_tools_numbers_and_comment_keep_apart(sit: Sit, *, touch: bool) -> None:
    tab = begin(sit, drawing(), viewport={"width": 320, "height": 568}, has_touch=touch, is_mobile=touch)
    tab.press("b", "#")
    expect(tab.page.get_by_label("Bottom")).to_be_visible()
    tab.page.get_by_role("button", name="Comment").click()
    tab.page.get_by_label("Comment").fill("hm")
    for width, height in ((320, 568), (390, 844), (844, 390)):
        tab.page.set_viewport_size({"width": width, "height": height})
        with suppress(TimeoutError):  # the stage follows the window in a frame of its own
            tab.page.wait_for_function(f"() => !({CLASHES})().length")
        assert tab.page.evaluate(CLASHES) == [], (width, height)


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PARTS = 10
"""Rectangles of a box that is being drawn: its two outlines and eight handles."""
LOW_PHONE = PHONE | {"viewport": {"width": 844, "height": 390}}
ENDS: list[Point] = [(500, 200), (300, 350), (600, 500), (800, 300)]
"""The top, left, bottom and right end of something on the picture."""


def begin_box(sit: Sit, preferences: dict[str, object], **options: object) -> LabellingPage:
    ada = worker(drawing(image("1"), image("2")), "ada")
    tab = sit(ada, **options)
    tab.page.clock.install()
    change_preferences(worker_id=ada.id, changes=preferences)
    tab.ask(DRAW)
    return tab


def click(tab: LabellingPage, *points: Point) -> None:
    for point in points:
        tab.page.mouse.click(*tab.on_screen(point))


def tap(tab: LabellingPage, *points: Point) -> None:
    fingers = tab.page.context.new_cdp_session(tab.page)
    for point in points:
        touch(fingers, [tab.on_screen(point)])


def wait_for_box(tab: LabellingPage, *edges: int) -> list[int]:
    """Wait until the box in view is this one, within two pixels of the window."""
    return tab.wait_for_box(edges, within=2 / tab.scale)


def test_four_clicks_on_the_ends_and_a_space_are_a_box_like_any_other(sit: Sit) -> None:
    tab = begin_box(sit, {"draw_by": "extreme points"})
    click(tab, *ENDS)
    box = wait_for_box(tab, 300, 200, 800, 500)
    tab.hold_the_clock()  # a space that is held for half a second moves the picture
    tab.press(" ")
    tab.page.clock.resume()
    tab.wait_for_question(1)
    tab.press("n")
    tab.submit()
    assert {"box": box} in Judgment.objects.values_list("answer", flat=True)


def test_answering_faster_than_the_page_is_painted_answers_each_question_once(sit: Sit) -> None:
    tab = sit(worker(drawing(*[image(str(number)) for number in range(1, 6)]), "ada"))
    tab.page.clock.install()
    tab.ask(DRAW)
    for number in range(5):
        tab.wait_for_question(number)
        tab.hold_the_clock()
        tab.press("b", *["Shift+ArrowRight"] * number, " ")
        tab.page.clock.resume()
    tab.submit()
    boxes = [str(answer["box"]) for answer in Judgment.objects.values_list("answer", flat=True)]
    assert len(boxes) == len(set(boxes)) == 5


def test_fingers_draw_by_two_taps_and_confirm_by_the_tick(sit: Sit) -> None:
    tab = begin_box(sit, {"draw_by": "two clicks"}, **PHONE)
    tap(tab, (300, 200), (800, 500))
    wait_for_box(tab, 300, 200, 800, 500)
    tab.page.locator(".tick").tap()
    tab.wait_for_question(1)


@pytest.mark.parametrize("by", ["drag", "extreme points"])
def test_a_double_click_on_the_box_confirms_it_where_the_worker_wants_it(sit: Sit, by: str) -> None:
    tab = begin_box(sit, {"draw_by": by, "confirm_by_double_click": True})
    if by == "drag":
        tab.drag((300, 200), (800, 500))
    else:
        click(tab, *ENDS)
    expect(tab.picture).not_to_have_attribute("data-box", "")
    tab.hold_the_clock()  # clicks half a second apart are two
    tab.page.mouse.dblclick(*tab.on_screen((550, 350)))
    tab.page.clock.resume()
    tab.wait_for_question(1)


def overlap(tick: Locator, other: FloatRect) -> bool:
    mine = tick.bounding_box()
    assert mine is not None
    return (
        mine["x"] < other["x"] + other["width"]
        and other["x"] < mine["x"] + mine["width"]
        and mine["y"] < other["y"] + other["height"]
        and other["y"] < mine["y"] + mine["height"]
    )


@pytest.mark.parametrize("options", [{}, PHONE, LOW_PHONE], ids=["desk", "phone", "low phone"])
def test_the_tick_stands_on_the_stage_off_the_box_and_its_handles(sit: Sit, options: dict[str, object]) -> None:
    tab = begin_box(sit, {}, **options)
    tick = tab.page.locator(".tick")
    for one_box in ((20, 20, 120, 100), (1100, 700, 1190, 790), (500, 300, 700, 500), (30, 30, 1170, 400)):
        tab.drag((one_box[0], one_box[1]), (one_box[2], one_box[3]))
        expect(tick).to_be_visible()
        parts = tab.page.locator("g.drawing > rect")
        expect(parts).to_have_count(PARTS)
        for part in parts.all():
            place = part.bounding_box()
            assert place is not None and not overlap(tick, place), one_box
        stage, mine = tab.picture.bounding_box(), tick.bounding_box()
        assert stage is not None and mine is not None
        assert stage["x"] <= mine["x"] and mine["x"] + mine["width"] <= stage["x"] + stage["width"], one_box
        assert stage["y"] <= mine["y"] and mine["y"] + mine["height"] <= stage["y"] + stage["height"], one_box
        tab.press("x")
        expect(tick).to_have_count(0)


@pytest.mark.parametrize("options", [PHONE, LOW_PHONE], ids=["phone", "low phone"])
def test_full_screen_gives_a_phone_more_picture_with_the_question_in_view(sit: Sit, options: dict[str, object]) -> None:
    tab = begin_box(sit, {}, **options)
    before = tab.scale
    tab.page.get_by_role("button", name="Full screen").tap()
    expect(tab.page.locator("html")).to_have_class("full")
    expect(tab.page.get_by_role("heading", level=1)).to_be_in_viewport(ratio=1)
    for one_answer in ("box", "none_missing"):
        expect(tab.page.locator(f'[data-answer="{one_answer}"]')).to_be_in_viewport(ratio=1)
    expect(tab.page.locator(".phrase")).to_be_in_viewport(ratio=1)
    tab.wait_two_frames()  # the picture follows in the next one
    assert tab.scale >= before
    tab.drag((300, 200), (800, 500))
    wait_for_box(tab, 300, 200, 800, 500)
    tab.page.locator(".tick").tap()
    tab.wait_for_question(1)
    expect(tab.page.locator("html")).to_have_class("full")


def test_the_settings_are_changed_by_keyboard_and_draw_at_once(sit: Sit) -> None:
    tab = begin_box(sit, {})
    settings = tab.page.get_by_role("button", name="Settings")
    settings.focus()
    tab.press("Enter")
    tab.page.get_by_label("Click two opposite corners").focus()
    with tab.page.expect_response("**/preferences/") as stored:
        tab.press(" ")
    assert stored.value.json()["draw_by"] == "two clicks"
    expect(tab.page.get_by_label("Confirm a box by a double-click")).to_be_disabled()
    tab.press("Escape")
    expect(settings).to_be_focused()
    click(tab, (300, 200), (800, 500))
    wait_for_box(tab, 300, 200, 800, 500)


BATCHES = int(os.environ.get("CHAINBOX_COUNT_BATCHES", "0"))
WAYS = ("mouse", "keys") if BATCHES else ("keys",)
SETTINGS = (True, False) if BATCHES else (True,)
MOST = {task: 2.05 if task is Task.BOX_DRAWING else 1.05 for task in PROTOCOL_TASKS}


@pytest.mark.parametrize("by_itself", SETTINGS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("task", PROTOCOL_TASKS)
def test_a_question_takes_one_input_and_a_box_two(sit: Sit, task: Task, way: str, *, by_itself: bool) -> None:
    batches = BATCHES or (2 if BATCH[task] == 5 else 1)
    ada = worker(many_open(task, batches * BATCH[task]), "ada", task)
    change_preferences(worker_id=ada.id, changes={"send_by_itself": by_itself})
    ada.refresh_from_db()
    counted = count(sit(ada), task, batches, by=way, by_itself=by_itself)
    if to := os.environ.get("CHAINBOX_COUNT_TO"):
        with Path(to).open("a", encoding="utf-8") as file:
            print(f"| {task.label} | {way} | {'yes' if by_itself else 'no'} | {counted} |", file=file)
    if by_itself:
        assert counted.inputs / counted.questions <= MOST[task]
