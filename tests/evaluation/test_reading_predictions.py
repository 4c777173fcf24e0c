"""Forms of predicted boxes.
Replies of language models are predictions: boxes find the phrases that their labels name.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.reading.predictions.box_forms import FORMS, read_box
from evaluation.reading.predictions.image_phrases import ImagePhrases, Phrase
from evaluation.reading.predictions.read_file import Found, read_predictions
from tests.support.table import row

SAME = {
    **{"xyxy": [10, 20, 50, 60], "xywh": [10, 20, 40, 40], "xyxy-normalised": [0.1, 0.1, 0.5, 0.3]},
    **{"cxcywh-normalised": [0.3, 0.2, 0.4, 0.2], "xyxy-1000": [100, 100, 500, 300]},
    "yxyx-1000": [100, 100, 300, 500],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_box(form: str) -> None:
    assert read_box(SAME[form], form, (100, 200), "line 1") == pytest.approx((10, 20, 50, 60))


def test_rounded_shares_are_cut_at_the_edge_and_so_does_clipping_but_keeps_no_box_that_lies_outside() -> None:
    assert read_box([0, 0, 1.0000001, 1], "xyxy-normalised", (500, 375), "line 1") == (0, 0, 500, 375)
    assert read_box([-5, -5, 10, 300], "xyxy", (100, 200), "line 1", clip=True) == (0, 0, 10, 200)
    with pytest.raises(InputError, match="outside"):
        read_box([100, 0, 110, 10], "xyxy", (100, 200), "line 1", clip=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "box",
    [[-200, 0, 10, 10], [0, 0, 10, 3000], [0, 0, 0, 5], [5, 5, 5, 5.0][:3], "box", [0, 0, 1, "1"], [0, 0, 1, True]],
)
def test_a_bad_box_is_refused(form: str, box: object) -> None:
    with pytest.raises(InputError, match=r"^line 1"):
        read_box(box, form, (100, 200), "line 1")


PHRASES = [
    *(Phrase(0, 0, 0, 2, "A man", ("people",)), Phrase(1, 0, 3, 5, "a dog", ("animals",))),
    *(Phrase(2, 1, 0, 2, "a man", ("people",)), Phrase(3, 1, 3, 5, "a man", ("people",))),
]
BOX, OTHER = (10, 20, 50, 60), (0, 0, 100, 200)
THOUSANDTHS, OTHER_THOUSANDTHS = [100, 100, 500, 300], [0, 0, 1000, 1000]


def read(*lines: Mapping[str, Any], form: str = "") -> Found[ImagePhrases]:
    image = ImagePhrases("one", 100, 200, PHRASES)
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return read_predictions(
        "replies.jsonl", data, lambda names: {one: image for one in names if one == "one"}, form=form
    )


def boxes(found: Found[ImagePhrases]) -> dict[int | None, list[Any]]:
    """Return the boxes by the number of their phrase."""
    return {phrase.number: [one.box for one in own] for one in found.images for phrase, own in one.boxes.items()}


def reply(text: str, caption: int = 0) -> dict[str, Any]:
    return {"image": "one", "caption": caption, "reply": text}


def test_marks_in_a_caption_are_in_thousandths_and_gemini_gives_the_top_first() -> None:
    text = f"<ref>a man</ref><box>[{THOUSANDTHS}]</box> with <ref>a dog</ref> <box>{OTHER_THOUSANDTHS}</box>"
    assert boxes(read(reply(text))) == {0: [BOX], 1: [OTHER]}
    text = json.dumps([{"box_2d": [100, 100, 300, 500], "label": "A MAN"}])
    assert boxes(read(reply(f"Here you are:\n```json\n{text}\n```"))) == {0: [BOX]}


@pytest.mark.parametrize(("form", "box"), [("xyxy", list(BOX)), ("xyxy-1000", THOUSANDTHS)])
def test_qwen_gives_pixels_or_thousandths_and_the_form_must_be_told(form: str, box: list[int]) -> None:
    text = json.dumps([{"bbox_2d": box, "label": "a dog"}])
    assert boxes(read(reply(text), form=form)) == {1: [BOX]}
    with pytest.raises(InputError, match="line 1: boxes of 'bbox_2d' are pixels or from 0 to 1000"):
        read(reply(text))


def test_several_boxes_of_a_label_belong_to_its_phrase_and_labels_that_are_no_phrase_are_counted() -> None:
    rows = [{"box_2d": [100, 100, 300, 500], "label": "a dog"}, {"box_2d": OTHER_THOUSANDTHS, "label": "a dog"}]
    assert boxes(read(reply(json.dumps(rows)))) == {1: [BOX, OTHER]}
    found = read(reply(json.dumps([{"box_2d": THOUSANDTHS, "label": "a cat"}])), reply("I cannot see that, sorry."))
    assert (boxes(found), found.unused) == ({}, 1), "prose gives no box"


@row('[{"box_2d": [100, 100, 300, 500], "label": "a man"}, {"box_2d": [0, 0, 1000', {0: [BOX]}, 1)
@row('```json\n[{"box_2d": [100, 100, 300, 500], "label": "a man"},', {0: [BOX]}, 1)
@row("<ref>a man</ref><box>[[100, 100, 500, 300]]</box> and <ref>a dog</ref><box>[[0,", {0: [BOX]}, 1)
@row("<ref>a man</ref><box>[[100, 100,", {}, 1)
@row('[{"box_2d": [100, 100, 300, 500], "label": "a man"}] [see', {0: [BOX]}, 0)
@row("I cannot [see", {}, 0)
def test_a_reply_that_was_cut_off_keeps_its_complete_boxes_and_is_counted(
    text: str, complete: dict[int, Any], cut_off: int
) -> None:
    found = read(reply(text), reply("Nothing."))
    assert (boxes(found), found.cut_off) == (complete, cut_off)


def test_equal_phrases_take_as_many_boxes_in_turn_and_fewer_tell_nobody() -> None:
    rows = [{"box_2d": [100, 100, 300, 500], "label": "a man"}, {"box_2d": OTHER_THOUSANDTHS, "label": "a man"}]
    assert boxes(read(reply(json.dumps(rows), caption=1))) == {2: [BOX], 3: [OTHER]}
    found = read(reply(json.dumps(rows[:1]), caption=1))
    assert (boxes(found), found.unused) == ({}, 1)


def test_rows_and_replies_may_stand_in_one_file() -> None:
    row = {"image": "one", "caption": 0, "phrase": "a dog", "boxes": [list(BOX)]}
    assert boxes(read(row, reply(f"<ref>a man</ref><box>[{OTHER_THOUSANDTHS}]</box>"))) == {0: [OTHER], 1: [BOX]}


@row({"image": "one", "caption": 0, "reply": 3}, "line 1: field 'reply' is '3', not the text of the model's reply")
@row({"image": "one", "reply": ""}, "line 1: the field 'caption' is missing")
@row({"caption": 0, "reply": ""}, "line 1: the field 'image' is missing")
@row({"image": "one", "caption": -1, "reply": ""}, "line 1: field 'caption' is '-1', not a whole number")
@row({"image": "one", "caption": 0, "reply": "", "model": "x"}, "line 1 has the unknown field 'model'")
@row(reply("<ref>a dog</ref><box>[[0, 0, 3000, 9]]</box>"), "line 1: 'a dog' [0, 0, 3000, 9] reaches outside")
@row(reply("<ref>a dog</ref><box>[[5, 5, 5]]</box>"), "line 1: 'a dog' has 3 numbers")
def test_a_wrong_line_is_named(line: Mapping[str, Any], told: str) -> None:
    with pytest.raises(InputError) as refused:
        read(line)
    assert told in str(refused.value)
