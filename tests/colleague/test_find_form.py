"""The form in which a model gives boxes, found out on examples."""

from pathlib import Path

import pytest

from colleague.coordinates import Form, Frame, from_box
from colleague.errors import WrongUse
from colleague.find_form import Drawn, find_form, keep_form, kept_form

FRAME = Frame(image=(2400, 1600), sent=(600, 400))
BOXES = [(100, 200, 700, 900), (1200, 40, 1900, 1500), (40, 900, 2300, 1300)]


def drawn(form: Form, boxes: list[tuple[int, int, int, int]] = BOXES) -> list[Drawn]:
    return [Drawn(from_box(box, form, FRAME), FRAME, [(0, 0, 9, 9), box]) for box in boxes]


@pytest.mark.parametrize("form", Form)
def test_every_form_is_found_on_three_examples(form: Form) -> None:
    assert find_form(drawn(form)) is form


def test_one_example_is_too_few() -> None:
    with pytest.raises(WrongUse, match=r"takes 2 examples.*gave boxes for 1.*--coordinates"):
        find_form(drawn(Form.PIXELS)[:1])


def test_boxes_that_fit_in_no_form_are_no_ground_to_choose_one() -> None:
    wrong = [Drawn([1, 1, 40, 40], FRAME, one.right[1:]) for one in drawn(Form.PIXELS)]
    with pytest.raises(WrongUse, match="fit in no form"):
        find_form(wrong)


def test_boxes_that_fit_in_two_forms_tell_neither() -> None:
    square = Frame(image=(1000, 1000), sent=(1000, 1000))
    alike = [Drawn([100, 100, 400, 400], square, [(100, 100, 400, 400)])] * 3
    with pytest.raises(WrongUse, match="do not tell whether"):
        find_form(alike)


def test_what_was_found_is_known_in_the_next_run_for_this_model_alone(tmp_path: Path) -> None:
    assert kept_form(tmp_path, "qwen") is None
    keep_form(tmp_path, "qwen", Form.SHARES)
    assert kept_form(tmp_path, "qwen") is Form.SHARES and kept_form(tmp_path, "gemma") is None
    (tmp_path / "coordinates.json").write_text("[]")
    assert kept_form(tmp_path, "qwen") is None


def test_what_was_found_for_one_model_stays_when_another_is_tried(tmp_path: Path) -> None:
    keep_form(tmp_path, "qwen", Form.SHARES)
    keep_form(tmp_path, "gemma", Form.THOUSANDTHS_YX)
    keep_form(tmp_path, "qwen", Form.PIXELS)
    assert kept_form(tmp_path, "qwen") is Form.PIXELS and kept_form(tmp_path, "gemma") is Form.THOUSANDTHS_YX
    (tmp_path / "coordinates.json").write_text('{"gemma": "pix')
    keep_form(tmp_path, "qwen", Form.SHARES)
    assert kept_form(tmp_path, "qwen") is Form.SHARES
    assert [file.name for file in tmp_path.iterdir()] == ["coordinates.json"]
