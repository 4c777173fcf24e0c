"""Questions as a model gets them, with prompts, pictures and forms of boxes, and the answers in its replies."""

import base64
import json
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from PIL import Image

from clients.annotator.coordinates import (
    Form,
    FormExample,
    PictureSizes,
    find_form,
    from_box,
    iou,
    keep_form,
    stored_form,
    to_box,
)
from clients.annotator.errors import NoAnswer, NoPicture, WrongUse
from clients.annotator.pictures import DONE_BOX_COLOUR, JUDGED_BOX_COLOUR, PictureLoader
from clients.annotator.questions import (
    OWN,
    PLACE,
    PROPOSAL,
    TASKS,
    Prompts,
    marked,
    places,
    read_answer,
    read_proposals,
    schema,
    write_prompts,
)
from pipeline.protocol.tasks.answers import fault_in
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from tests.support.table import case, row

FRAME = PictureSizes(image=(200, 100), sent=(200, 100))


@row("coreference_link", '{"answer": "same"}', "same")
@row("chain_verification", '{"answer": "false"}', "false")
@row("box_requirement", '{"answer": "scene"}', 2)
@row("box_drawing", '{"none_missing": false, "box": [10, 20, 30.4, 40]}', {"box": [10, 20, 30, 40]})
@row("box_quality", '{"answer": "bad"}', "bad")
@row("box_coverage", '{"answer": "more needed"}', "more needed")
def test_a_reply_to_each_task_becomes_an_answer_that_the_service_takes(task: str, content: str, answer: Any) -> None:
    assert read_answer(task, content, Form.PIXELS, FRAME) == answer
    assert fault_in(Task(task), answer, *FRAME.image) is None
    for one in schema(task)["properties"].get("answer", {}).get("enum", []):
        said = read_answer(task, json.dumps({"answer": one}), Form.PIXELS, FRAME)
        assert fault_in(Task(task), said, *FRAME.image) is None


def test_the_tasks_are_those_of_the_service() -> None:
    assert tuple(task.value for task in PROTOCOL_TASKS) == TASKS


@row('```json\n{"answer": "good"}\n```')
@row('Here you are: ```{"answer": "good"}```')
@row('<think>Is it {"bad"}?</think>{"answer": "good"}')
@row('Is it {"answer": "bad"}?</think>{"answer": "good"}')
def test_json_in_a_fence_or_after_a_thought_is_read(content: str) -> None:
    assert read_answer("box_quality", content, Form.PIXELS, FRAME) == "good"


@row('Sure! Here it is: {"answer": "good"} I hope that this helps.')
@row('Sure! Here it is:\n```json\n{"answer": "good"}')
@row('{"answer": "good"}\n```')
def test_json_after_words_or_in_an_open_fence_is_read(content: str) -> None:
    assert read_answer("box_quality", content, Form.PIXELS, FRAME) == "good"


ONE_LONG_REPLY = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from clients.annotator.errors import UnreadableReply
from clients.annotator.questions import json_in, span_of_json
from clients.annotator.asker import of_boxes, of_choice
for part in "```json ", "</think>", " ", "{", '"answer"', "[1 ", "[1,1,1,1]", "[" + "1" * 90, "```":
    content = "```" + part * (200_000 // len(part))
    try:
        json_in(content)
    except UnreadableReply:
        pass
    tokens = [(one, -1.0) for one in content]
    of_choice(content, tokens, span_of_json(content))
    of_boxes(content, tokens, span_of_json(content))
"""


def test_the_longest_reply_of_any_shape_takes_seconds_not_hours() -> None:
    ended = subprocess.run([sys.executable, "-c", ONE_LONG_REPLY], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@row("box_quality", "", "no JSON")
@row("box_quality", "The new box is good.", "no JSON")
@row("box_quality", '{"answer": "go', "cannot be read")
@row("box_quality", '["good"]', "another shape")
@row("box_quality", ' [{"answer": "good"}]', "cannot be read")
@row("box_quality", 'Either {"answer": "good"} or {"answer": "bad"}.', "beside other JSON")
@row("box_quality", '{"answer": "fine"}', "another shape")
@row("box_quality", '{"answer": true}', "another shape")
@row("box_quality", '{"answer": ["good"]}', "another shape")
@row("box_requirement", '{"answer": 1}', "another shape")
@row("box_drawing", '{"answer": "good"}', "another shape")
@row("box_drawing", '{"none_missing": true, "box": [1, 2, 3, 4]}', "another shape")
@row("box_drawing", '{"none_missing": false, "box": [1, 2, 3]}', "another shape")
@row("box_drawing", '{"none_missing": false, "box": [1, 2, 3, "4"]}', "another shape")
@row("box_drawing", '{"none_missing": false, "box": "1234"}', "another shape")
@row("box_drawing", '{"none_missing": false, "box": [NaN, 2, 3, 4]}', "another shape")
@row("box_drawing", '{"none_missing": false, "box": [10, 20, 900, 40]}', "outside")
@case("a huge number", "box_drawing", f'{{"box": [{10**400}, 2, 3, 4]}}', "another shape")
@case("a longer number", "box_drawing", f'{{"box": [{"9" * 5000}, 2, 3, 4]}}', "cannot be read")
@case("brackets without end", "box_drawing", f'{{"box": {"[" * 100_000}', "cannot be read")
def test_a_reply_that_is_no_answer_is_told_by_its_reason(task: str, content: str, why: str) -> None:
    with pytest.raises(NoAnswer, match=why):
        read_answer(task, content, Form.PIXELS, FRAME)


def test_phrases_are_marked_where_they_stand_and_boxes_told_by_numbers_in_the_form_of_the_model() -> None:
    text, phrases = "a man and a man", [{"start": 0, "end": 5}, {"start": 10, "end": 15}]
    assert marked({"text": text, "phrases": phrases}) == "[[a man]] and [[a man]]"
    caption: dict[str, Any] = {"text": "a man", "phrases": [{"start": 0, "end": 5}]}
    question = {"captions": [caption], "other_captions": [], "boxes": [[0, 0, 100, 50]], "new_box": [100, 0, 200, 100]}
    told = places(question, Form.THOUSANDTHS_YX, FRAME)
    assert told["boxes"] == "1: [0, 0, 500, 500]" and told["new_box"] == "[0, 500, 1000, 1000]"
    assert told["captions"] == "- [[a man]]" and told["other_captions"] == ""


def test_proposals_belong_to_phrases_by_number_and_keep_their_place_in_the_reply() -> None:
    rows = [{"phrase": 2, "boxes": [[0, 0, 10, 10], [20, 20, 30, 30]]}, {"phrase": 1, "boxes": [[50, 50, 60, 60]]}]
    found = read_proposals(json.dumps({"phrases": rows}), 3, Form.PIXELS, FRAME)
    assert found == [[(2, (50, 50, 60, 60))], [(0, (0, 0, 10, 10)), (1, (20, 20, 30, 30))], []]


@pytest.mark.parametrize(
    "rows", [None, {}, [7], [{"phrase": 4, "boxes": []}], [{"phrase": 0, "boxes": []}], [{"phrase": 1, "boxes": {}}]]
)
def test_proposals_of_another_shape_are_no_answer(rows: Any) -> None:
    with pytest.raises(NoAnswer, match="another shape"):
        read_proposals(json.dumps({"phrases": rows}), 3, Form.PIXELS, FRAME)


NAMES = (*TASKS, PROPOSAL)
LANGUAGES = sorted(folder.name for folder in OWN.iterdir())
CAPTION = {"captions": "- [[a man]]"}


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    write_prompts(tmp_path / "prompts")
    return tmp_path / "prompts"


def text(folder: Path | None, name: str, language: str = "en", form: Form | None = Form.PIXELS) -> str:
    return Prompts(folder).text(name, language, form, (640, 480), **CAPTION)


def test_every_language_has_every_prompt_with_the_same_places() -> None:
    assert LANGUAGES == ["de", "en"]
    for name in NAMES:
        own = {language: sorted(PLACE.findall((OWN / language / f"{name}.md").read_text())) for language in LANGUAGES}
        assert own["de"] == own["en"], name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_filled_to_the_last_place(name: str, language: str) -> None:
    for form in (None, *Form):
        filled = text(None, name, language, form)
        assert CAPTION["captions"] in filled and not PLACE.search(filled)


def test_the_form_of_boxes_is_told_with_the_size_of_the_picture() -> None:
    assert "[x0, y0, x1, y1] in pixels of the picture, which is 640 wide and 480 high" in text(None, "box_drawing")
    assert "in which you were trained" in text(None, "box_drawing", form=None)


@pytest.mark.parametrize(
    ("language", "begins"), [("de-AT", "In einer"), ("DE", "In einer"), ("", "A phrase"), ("fr", "A phrase")]
)
def test_the_language_of_the_captions_chooses_the_prompt(language: str, begins: str) -> None:
    assert text(None, "box_quality", language).startswith(begins)


def test_an_edited_prompt_is_sent_and_one_that_is_not_in_the_folder_is_ours(edited: Path) -> None:
    path = edited / "en" / "box_quality.md"
    path.write_text("Look:\n{captions}\nGood?")
    assert text(edited, "box_quality") == "Look:\n- [[a man]]\nGood?"
    path.unlink()
    assert text(edited, "box_quality") == text(None, "box_quality")


@row("box_quality", "Good? {captoins} {captions}", "{captoins} is no place of a prompt")
@row("box_quality", "Good?", "no place {captions}")
@row("box_drawing", "{captions}", "no place {form}")
def test_a_prompt_that_cannot_be_filled_is_named_with_its_fault(name: str, new: str, said: str, edited: Path) -> None:
    path = edited / "en" / f"{name}.md"
    path.write_text(new)
    with pytest.raises(WrongUse, match=f"^{re.escape(str(path))}: .*{re.escape(said)}"):
        text(edited, name)


@pytest.mark.parametrize("written", [b"none = [", b'none = "x"', b'[forms]\npixels = "x"', b"\xff"])
def test_words_that_cannot_be_read_are_named(edited: Path, written: bytes) -> None:
    (edited / "en" / "words.toml").write_bytes(written)
    with pytest.raises(WrongUse, match=r"words\.toml: "):
        text(edited, "box_quality")


def test_prompts_are_not_written_over_others_and_a_folder_that_is_not_there_is_named(edited: Path) -> None:
    with pytest.raises(WrongUse, match="may be edited"):
        write_prompts(edited)
    with pytest.raises(WrongUse, match="no folder of prompts"):
        Prompts(edited / "none")


GREY = (120, 120, 120)


def jpeg(width: int, height: int, turned: int = 1) -> bytes:
    out, exif = BytesIO(), Image.Exif()
    exif[0x0112] = turned
    Image.new("RGB", (width, height), GREY).save(out, "JPEG", exif=exif)
    return out.getvalue()


def image(width: int, height: int) -> dict[str, Any]:
    return {"url": "/screen", "full_url": "/full", "width": width, "height": height}


def near(pixel: Any, colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 60 for one, other in zip(pixel, colour, strict=True))


@case("a picture is scaled down", jpeg(800, 600), {}, (1600, 1200), (400, 300))
@case("a picture is never scaled up", jpeg(80, 60), {}, (80, 60), (80, 60))
@case("sides are multiples where a model works on these", jpeg(800, 600), {"multiple": 28}, (800, 600), (392, 308))
@case("a turned picture is sent upright", jpeg(60, 40, turned=6), {}, (40, 60), (40, 60))
def test_pictures(file: bytes, options: dict[str, int], size: tuple[int, int], sent: tuple[int, int]) -> None:
    assert PictureLoader(lambda address: file, longest=400, **options).sent(image(*size)).frame == PictureSizes(
        size, sent
    )


@row(1600, "/screen")
@row(2000, "/full")
def test_the_larger_file_is_loaded_only_where_needed_and_once_for_many_questions(longest: int, address: str) -> None:
    load = Mock(return_value=jpeg(20, 20))
    pictures = PictureLoader(load, longest=longest)
    assert pictures.sent(image(20, 20)) == pictures.sent(image(20, 20))
    load.assert_called_once_with(address)


def test_boxes_are_drawn_around_their_insides() -> None:
    sent = PictureLoader(lambda address: jpeg(400, 300), longest=400).sent(
        image(800, 600), [[200, 200, 400, 400]], [600, 400, 700, 500]
    )
    with Image.open(BytesIO(sent.jpeg)) as seen:
        assert near(seen.getpixel((99, 150)), DONE_BOX_COLOUR) and near(seen.getpixel((201, 150)), DONE_BOX_COLOUR)
        assert near(seen.getpixel((299, 225)), JUDGED_BOX_COLOUR)
        assert near(seen.getpixel((170, 170)), GREY) and near(seen.getpixel((325, 225)), GREY)


def test_the_data_url_holds_the_picture_and_a_file_that_is_none_is_no_answer() -> None:
    sent = PictureLoader(lambda address: jpeg(60, 40), longest=64).sent(image(60, 40))
    kind, _, data = sent.data_url.partition(",")
    assert kind == "data:image/jpeg;base64" and base64.b64decode(data) == sent.jpeg
    with pytest.raises(NoPicture, match="cannot be read"):
        PictureLoader(lambda address: b"<html>", longest=64).sent(image(60, 40))


COORDINATES_FRAME = PictureSizes(image=(2000, 1000), sent=(1000, 500))
BOX = (200, 100, 600, 500)


@row(Form.PIXELS, [100, 50, 300, 250])
@row(Form.THOUSANDTHS, [100, 100, 300, 500])
@row(Form.SHARES, [0.1, 0.1, 0.3, 0.5])
@row(Form.PIXELS_YX, [50, 100, 250, 300])
@row(Form.THOUSANDTHS_YX, [100, 100, 500, 300])
@row(Form.SHARES_YX, [0.1, 0.1, 0.5, 0.3])
def test_the_same_box_is_given_in_every_form(form: Form, numbers: list[float]) -> None:
    assert to_box(numbers, form, COORDINATES_FRAME) == BOX
    assert from_box(BOX, form, COORDINATES_FRAME) == numbers


@row([0, 0, 1100, 500], "outside")
@row([-50, 0, 10, 10], "outside")
@row([300, 50, 100, 250], "empty")
@row([10, 10, 10.1, 10.1], "empty")
@row([float("nan"), 0, 10, 10], "outside")
@row([0, 0, float("inf"), 10], "outside")
def test_a_box_over_the_edge_is_cut_there_and_one_outside_or_flat_is_no_answer(numbers: list[float], why: str) -> None:
    assert to_box([-5, 0, 1010, 500], Form.PIXELS, COORDINATES_FRAME) == (0, 0, 2000, 1000)
    with pytest.raises(NoAnswer, match=why):
        to_box(numbers, Form.PIXELS, COORDINATES_FRAME)


def test_boxes_overlap_by_the_share_of_their_union() -> None:
    assert iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert iou((0, 0, 10, 10), (10, 10, 20, 20)) == 0


FIND_FORM_FRAME = PictureSizes(image=(2400, 1600), sent=(600, 400))
BOXES = [(100, 200, 700, 900), (1200, 40, 1900, 1500), (40, 900, 2300, 1300)]


def drawn(form: Form, boxes: list[tuple[int, int, int, int]] = BOXES) -> list[FormExample]:
    return [FormExample(from_box(box, form, FIND_FORM_FRAME), FIND_FORM_FRAME, [(0, 0, 9, 9), box]) for box in boxes]


@pytest.mark.parametrize("form", Form)
def test_every_form_is_found_on_three_examples(form: Form) -> None:
    assert find_form(drawn(form)) is form


IN_PIXELS, SQUARE = drawn(Form.PIXELS), PictureSizes(image=(1000, 1000), sent=(1000, 1000))
IN_NO_FORM = [FormExample([1, 1, 40, 40], FIND_FORM_FRAME, one.right[1:]) for one in IN_PIXELS]
IN_TWO_FORMS = [FormExample([100, 100, 400, 400], SQUARE, [(100, 100, 400, 400)])] * 3


@case("one example is too few", IN_PIXELS[:1], r"takes 2 examples.*gave boxes for 1.*--coordinates")
@case("boxes that fit in no form are no ground to choose one", IN_NO_FORM, "fit in no form")
@case("boxes that fit in two forms tell neither", IN_TWO_FORMS, "do not tell whether")
def test_no_form_is_found(examples: list[FormExample], said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        find_form(examples)


def test_what_was_found_is_known_in_the_next_run_for_this_model_alone_and_stays_beside_another(
    tmp_path: Path,
) -> None:
    assert stored_form(tmp_path, "qwen") is None
    keep_form(tmp_path, "qwen", Form.SHARES)
    assert stored_form(tmp_path, "qwen") is Form.SHARES and stored_form(tmp_path, "gemma") is None
    keep_form(tmp_path, "gemma", Form.THOUSANDTHS_YX)
    keep_form(tmp_path, "qwen", Form.PIXELS)
    assert stored_form(tmp_path, "qwen") is Form.PIXELS and stored_form(tmp_path, "gemma") is Form.THOUSANDTHS_YX
    for broken in ("[]", '{"gemma": "pix'):
        (tmp_path / "coordinates.json").write_text(broken)
        assert stored_form(tmp_path, "qwen") is None
    keep_form(tmp_path, "qwen", Form.SHARES)
    assert stored_form(tmp_path, "qwen") is Form.SHARES
    assert [file.name for file in tmp_path.iterdir()] == ["coordinates.json"]
