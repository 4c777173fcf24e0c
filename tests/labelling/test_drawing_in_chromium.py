"""In a real browser: a box is where the worker drew it, and what they saw is what is stored and exported."""

import io
import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image as Picture
from playwright.sync_api import CDPSession, expect

from annotation.models import Box, Project
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from pipeline.models import Judgment
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.labelling.conftest import Sit
from tests.support.labelling_page import LabellingPage, Point
from tests.support.pictures import encoded
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.six_tasks import ground, show

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
    tab.open(DRAW)
    tab.wait_for_picture()
    return tab


def zoom_in(tab: LabellingPage, at: Point, zoom: float) -> None:
    """Turn the wheel over a point of the image until so much of it is seen."""
    tab.page.mouse.move(*tab.on_screen(at))
    while float(before := tab.picture.get_attribute("data-zoom") or "") < zoom - 0.01:
        tab.page.mouse.wheel(0, max(-200, -math.log(zoom / float(before)) / 0.002))
        expect(tab.picture).not_to_have_attribute("data-zoom", before)


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
        ((x0 + far, y), (x0 - far, y)),
        ((x1 - far, y), (x1 + far, y)),
        ((x, y0 + far), (x, y0 - far)),
        ((x, y1 - far), (x, y1 + far)),
    ]
    return sides


@pytest.mark.parametrize("orientation", [1, LYING], ids=["upright", "turned by EXIF"])
def test_a_drag_lands_within_a_screen_pixel_on_what_is_shown(sit: Sit, orientation: int) -> None:
    tab = begin(sit, drawing(jpeg=marked(orientation)))
    x0, y0, x1, y1 = MARK
    for zoom in (1, 4):
        zoom_in(tab, ((x0 + x1) / 2, (y0 + y1) / 2), zoom)
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


def test_a_corner_and_the_arrow_keys_adjust_a_box(sit: Sit) -> None:
    tab = begin(sit, drawing())
    tab.drag((100, 100), (300, 250))
    tab.drag((300, 250), (360, 300))
    x0, y0, x1, y1 = tab.wait_for_box((100, 100, 360, 300), within=2)
    ten = round(10 / tab.scale)
    assert ten > 10, "the screen shows less than the image has"
    tab.press("ArrowRight", "Shift+ArrowDown")
    tab.wait_for_box([x0 + 1, y0 + ten, x1 + 1, y1 + ten])
    tab.press("e", "ArrowLeft")
    tab.wait_for_box([x0, y0 + ten, x1 + 1, y1 + ten])


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
COUNT = """
window.inputs = 0;
for (const name of ["pointerdown", "keydown", "wheel"]) addEventListener(name, () => inputs++, true);
"""


def test_a_box_takes_at_most_four_inputs_and_yes_or_no_takes_one(sit: Sit) -> None:
    project = drawing(image("1"), image("2"))
    tab = sit(worker(project, "ada"))
    tab.page.add_init_script(COUNT)
    tab.open(DRAW)
    tab.wait_for_picture()
    tab.drag((100, 100), (300, 250))
    tab.drag((300, 250), (360, 300))
    tab.press("ArrowRight", "Enter")
    expect(tab.root).to_have_attribute("data-index", "1")
    assert tab.page.evaluate("inputs") == 4
    tab.press("n")
    tab.submit()
    tick(project_id=project.id)
    other = sit(worker(project, "bob"))
    other.page.add_init_script(COUNT)
    other.open(Task.BOX_QUALITY)
    other.press("1")
    other.wait_for("summary")
    assert other.page.evaluate("inputs") == 1


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
        tab.wait_two_frames()  # the stage follows the window in the next one
        assert tab.page.evaluate(CLASHES) == [], (width, height)
