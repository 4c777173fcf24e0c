"""In a real browser: boxes by two clicks and four extreme points, confirmed by Space, a tick or a double-click."""

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from pipeline.models import Judgment
from tests.labelling.conftest import Sit
from tests.labelling.test_drawing_in_chromium import DRAW, drawing, image, touch
from tests.support.labelling_page import LabellingPage, Point
from tests.support.projects import worker
from workers.change_preferences import change_preferences

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PARTS = 10
"""Rectangles of a box that is being drawn: its two outlines and eight handles."""
LOW_PHONE = PHONE | {"viewport": {"width": 844, "height": 390}}
ENDS: list[Point] = [(500, 200), (300, 350), (600, 500), (800, 300)]
"""The top, left, bottom and right end of something on the picture."""


def begin(sit: Sit, preferences: dict[str, object], **options: object) -> LabellingPage:
    ada = worker(drawing(image("1"), image("2")), "ada")
    tab = sit(ada, **options)
    tab.page.clock.install()
    change_preferences(worker_id=ada.id, changes=preferences)
    tab.open(DRAW)
    tab.wait_for_picture()
    tab.wait_until_it_answers()
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
    tab = begin(sit, {"draw_by": "extreme points"})
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
    ada = worker(drawing(*[image(str(number)) for number in range(1, 6)]), "ada")
    tab = sit(ada)
    tab.page.clock.install()
    tab.open(DRAW)
    tab.wait_for_picture()
    for number in range(5):
        tab.wait_for_question(number)
        tab.hold_the_clock()
        tab.press("b", *["Shift+ArrowRight"] * number, " ")
        tab.page.clock.resume()
    tab.submit()
    boxes = [str(answer["box"]) for answer in Judgment.objects.values_list("answer", flat=True)]
    assert len(boxes) == len(set(boxes)) == 5


def test_undo_takes_back_one_point(sit: Sit) -> None:
    tab = begin(sit, {"draw_by": "extreme points"})
    click(tab, *ENDS[:3], (1100, 700))
    tab.press("Control+z")
    expect(tab.page.locator("circle.halo")).to_have_count(3)
    click(tab, ENDS[3])
    wait_for_box(tab, 300, 200, 800, 500)


def test_fingers_draw_by_two_taps_and_confirm_by_the_tick(sit: Sit) -> None:
    tab = begin(sit, {"draw_by": "two clicks"}, **PHONE)
    tap(tab, (300, 200), (800, 500))
    wait_for_box(tab, 300, 200, 800, 500)
    tab.page.locator(".tick").tap()
    tab.wait_for_question(1)


@pytest.mark.parametrize("by", ["drag", "extreme points"])
def test_a_double_click_on_the_box_confirms_it_where_the_worker_wants_it(sit: Sit, by: str) -> None:
    tab = begin(sit, {"draw_by": by, "confirm_by_double_click": True})
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
    tab = begin(sit, {}, **options)
    tick = tab.page.locator(".tick")
    for box in ((20, 20, 120, 100), (1100, 700, 1190, 790), (500, 300, 700, 500), (30, 30, 1170, 400)):
        tab.drag((box[0], box[1]), (box[2], box[3]))
        expect(tick).to_be_visible()
        parts = tab.page.locator("g.drawing > rect")
        expect(parts).to_have_count(PARTS)
        for part in parts.all():
            place = part.bounding_box()
            assert place is not None and not overlap(tick, place), box
        stage, mine = tab.picture.bounding_box(), tick.bounding_box()
        assert stage is not None and mine is not None
        assert stage["x"] <= mine["x"] and mine["x"] + mine["width"] <= stage["x"] + stage["width"], box
        assert stage["y"] <= mine["y"] and mine["y"] + mine["height"] <= stage["y"] + stage["height"], box
        tab.press("x")
        expect(tick).to_have_count(0)


@pytest.mark.parametrize("options", [PHONE, LOW_PHONE], ids=["phone", "low phone"])
def test_full_screen_gives_a_phone_more_picture_with_question_and_answers_in_view(
    sit: Sit, options: dict[str, object]
) -> None:
    tab = begin(sit, {}, **options)
    before = tab.scale
    tab.page.get_by_role("button", name="Full screen").tap()
    expect(tab.page.locator("html")).to_have_class("full")
    expect(tab.page.get_by_role("heading", level=1)).to_be_in_viewport(ratio=1)
    for answer in ("box", "none_missing"):
        expect(tab.page.locator(f'[data-answer="{answer}"]')).to_be_in_viewport(ratio=1)
    expect(tab.page.locator(".phrase")).to_be_in_viewport(ratio=1)
    tab.wait_two_frames()  # the picture follows in the next one
    assert tab.scale >= before
    tab.drag((300, 200), (800, 500))
    wait_for_box(tab, 300, 200, 800, 500)
    tab.page.locator(".tick").tap()
    tab.wait_for_question(1)
    expect(tab.page.locator("html")).to_have_class("full")


def test_the_settings_are_changed_by_keyboard_and_draw_at_once(sit: Sit) -> None:
    tab = begin(sit, {})
    settings = tab.page.get_by_role("button", name="Settings")
    settings.focus()
    tab.press("Enter")
    way = tab.page.get_by_label("Click two opposite corners")
    way.focus()
    with tab.page.expect_response("**/preferences/") as stored:
        tab.press(" ")
    assert stored.value.json()["draw_by"] == "two clicks"
    expect(tab.page.get_by_label("Confirm a box by a double-click")).to_be_disabled()
    tab.press("Escape")
    expect(settings).to_be_focused()
    click(tab, (300, 200), (800, 500))
    wait_for_box(tab, 300, 200, 800, 500)
