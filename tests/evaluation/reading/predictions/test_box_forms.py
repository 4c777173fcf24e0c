"""Forms of predicted boxes."""

import pytest

from evaluation.errors import InputError
from evaluation.reading.predictions.box_forms import FORMS, read_box

SAME = {
    "xyxy": [10, 20, 50, 60],
    "xywh": [10, 20, 40, 40],
    "xyxy-normalised": [0.1, 0.1, 0.5, 0.3],
    "cxcywh-normalised": [0.3, 0.2, 0.4, 0.2],
    "xyxy-1000": [100, 100, 500, 300],
    "yxyx-1000": [100, 100, 300, 500],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_box(form: str) -> None:
    assert read_box(SAME[form], form, (100, 200), "line 1") == pytest.approx((10, 20, 50, 60))


def test_rounded_shares_at_the_edge_are_cut() -> None:
    assert read_box([0, 0, 1.0000001, 1], "xyxy-normalised", (500, 375), "line 1") == (0, 0, 500, 375)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "box",
    [[-200, 0, 10, 10], [0, 0, 10, 3000], [0, 0, 0, 5], [5, 5, 5, 5.0][:3], "box", [0, 0, 1, "1"], [0, 0, 1, True]],
)
def test_a_bad_box_is_refused(form: str, box: object) -> None:
    with pytest.raises(InputError, match=r"^line 1"):
        read_box(box, form, (100, 200), "line 1")


def test_clipping_cuts_at_the_edge_but_keeps_no_box_that_lies_outside() -> None:
    assert read_box([-5, -5, 10, 300], "xyxy", (100, 200), "line 1", clip=True) == (0, 0, 10, 200)
    with pytest.raises(InputError, match="outside"):
        read_box([100, 0, 110, 10], "xyxy", (100, 200), "line 1", clip=True)
