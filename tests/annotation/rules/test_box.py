from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.box import Box, iou


@st.composite
def small_boxes(draw: st.DrawFn) -> Box:
    x0, y0 = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    return Box(x0, y0, draw(st.integers(x0 + 1, 12)), draw(st.integers(y0 + 1, 12)))


def pixels(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box.x0, box.x1) for y in range(box.y0, box.y1)}


@settings(max_examples=60, deadline=None)
@given(small_boxes(), small_boxes())
def test_iou_counts_pixels(a: Box, b: Box):
    assert iou(a, b) == iou(b, a) == len(pixels(a) & pixels(b)) / len(pixels(a) | pixels(b))


def test_a_box_ends_before_its_last_coordinates():
    assert Box(2, 3, 4, 7).area == 8
    assert iou(Box(0, 0, 2, 2), Box(2, 0, 4, 2)) == 0.0


def test_it_fits_only_whole_inside_the_image():
    assert Box(0, 0, 10, 5).fits(10, 5)
    assert not Box(0, 0, 11, 5).fits(10, 5)
    assert not Box(-1, 0, 10, 5).fits(10, 5)
    assert not Box(3, 0, 3, 5).fits(10, 5)
