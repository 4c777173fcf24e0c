"""Boxes as models give them, and boxes of the image."""

import pytest

from colleague.coordinates import Form, Frame, from_box, iou, to_box
from colleague.errors import NoAnswer

FRAME = Frame(image=(2000, 1000), sent=(1000, 500))
BOX = (200, 100, 600, 500)
GIVEN: dict[Form, list[float]] = {
    Form.PIXELS: [100, 50, 300, 250],
    Form.THOUSANDTHS: [100, 100, 300, 500],
    Form.SHARES: [0.1, 0.1, 0.3, 0.5],
    Form.PIXELS_YX: [50, 100, 250, 300],
    Form.THOUSANDTHS_YX: [100, 100, 500, 300],
    Form.SHARES_YX: [0.1, 0.1, 0.5, 0.3],
}


@pytest.mark.parametrize("form", Form)
def test_the_same_box_is_given_in_every_form(form: Form) -> None:
    assert to_box(GIVEN[form], form, FRAME) == BOX
    assert from_box(BOX, form, FRAME) == GIVEN[form]


def test_a_box_that_reaches_a_little_over_the_edge_is_cut_there() -> None:
    assert to_box([-5, 0, 1010, 500], Form.PIXELS, FRAME) == (0, 0, 2000, 1000)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ([0, 0, 1100, 500], "outside"),
        ([-50, 0, 10, 10], "outside"),
        ([300, 50, 100, 250], "empty"),
        ([10, 10, 10.1, 10.1], "empty"),
        ([float("nan"), 0, 10, 10], "outside"),
        ([0, 0, float("inf"), 10], "outside"),
    ],
)
def test_a_box_outside_the_picture_or_without_an_area_is_no_answer(numbers: list[float], why: str) -> None:
    with pytest.raises(NoAnswer, match=why):
        to_box(numbers, Form.PIXELS, FRAME)


def test_boxes_overlap_by_the_share_of_their_union() -> None:
    assert iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert iou((0, 0, 10, 10), (10, 10, 20, 20)) == 0
