"""Text that a model reads of a question, and the answer that its reply gives."""

import json
from typing import Any

import pytest

from colleague.coordinates import Form, Frame
from colleague.errors import NoAnswer
from colleague.questions import TASKS, marked, places, read_answer, read_proposals, schema
from pipeline.rules.tasks.answers import fault_in
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task

FRAME = Frame(image=(200, 100), sent=(200, 100))
ANSWERS = {
    "coreference_link": ('{"answer": "same"}', "same"),
    "chain_verification": ('{"answer": "false"}', "false"),
    "box_requirement": ('{"answer": "scene"}', 2),
    "box_drawing": ('{"none_missing": false, "box": [10, 20, 30.4, 40]}', {"box": [10, 20, 30, 40]}),
    "box_quality": ('{"answer": "bad"}', "bad"),
    "box_coverage": ('{"answer": "more needed"}', "more needed"),
}


def test_the_tasks_are_those_of_the_service() -> None:
    assert tuple(task.value for task in PROTOCOL_TASKS) == TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_reply_to_each_task_becomes_an_answer_that_the_service_takes(task: str) -> None:
    content, answer = ANSWERS[task]
    assert read_answer(task, content, Form.PIXELS, FRAME) == answer
    assert fault_in(Task(task), answer, *FRAME.image) is None
    for one in schema(task)["properties"].get("answer", {}).get("enum", []):
        said = read_answer(task, json.dumps({"answer": one}), Form.PIXELS, FRAME)
        assert fault_in(Task(task), said, *FRAME.image) is None


@pytest.mark.parametrize(
    "content",
    [
        '```json\n{"answer": "good"}\n```',
        'Here you are: ```{"answer": "good"}```',
        '<think>Is it {"bad"}?</think>{"answer": "good"}',
        'Is it {"answer": "bad"}?</think>{"answer": "good"}',
    ],
)
def test_json_in_a_fence_or_after_a_thought_is_read(content: str) -> None:
    assert read_answer("box_quality", content, Form.PIXELS, FRAME) == "good"


@pytest.mark.parametrize(
    ("task", "content", "why"),
    [
        ("box_quality", "", "no JSON"),
        ("box_quality", "The new box is good.", "no JSON"),
        ("box_quality", '{"answer": "go', "cannot be read"),
        ("box_quality", '["good"]', "another shape"),
        ("box_quality", '{"answer": "fine"}', "another shape"),
        ("box_quality", '{"answer": true}', "another shape"),
        ("box_quality", '{"answer": ["good"]}', "another shape"),
        ("box_requirement", '{"answer": 1}', "another shape"),
        ("box_drawing", '{"answer": "good"}', "another shape"),
        ("box_drawing", '{"none_missing": true, "box": [1, 2, 3, 4]}', "another shape"),
        ("box_drawing", '{"none_missing": false, "box": [1, 2, 3]}', "another shape"),
        ("box_drawing", '{"none_missing": false, "box": [1, 2, 3, "4"]}', "another shape"),
        ("box_drawing", '{"none_missing": false, "box": "1234"}', "another shape"),
        ("box_drawing", '{"none_missing": false, "box": [NaN, 2, 3, 4]}', "another shape"),
        ("box_drawing", '{"none_missing": false, "box": [10, 20, 900, 40]}', "outside"),
        pytest.param("box_drawing", f'{{"box": [{10**400}, 2, 3, 4]}}', "another shape", id="a huge number"),
        pytest.param("box_drawing", f'{{"box": [{"9" * 5000}, 2, 3, 4]}}', "cannot be read", id="a longer number"),
        pytest.param("box_drawing", f'{{"box": {"[" * 100_000}', "cannot be read", id="brackets without end"),
    ],
)
def test_a_reply_that_is_no_answer_is_told_by_its_reason(task: str, content: str, why: str) -> None:
    with pytest.raises(NoAnswer, match=why):
        read_answer(task, content, Form.PIXELS, FRAME)


def test_phrases_are_marked_where_they_stand() -> None:
    text = "a man and a man"
    phrases = [{"start": 0, "end": 5}, {"start": 10, "end": 15}]
    assert marked({"text": text, "phrases": phrases}) == "[[a man]] and [[a man]]"


def test_boxes_are_told_by_numbers_in_the_form_of_the_model() -> None:
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
