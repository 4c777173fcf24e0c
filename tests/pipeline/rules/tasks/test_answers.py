"""The answers that each task takes, and what a worker reads about any other."""

import json
from typing import Any

from pipeline.rules.tasks.answers import CHOICES, drawing, fault_in, schema_of
from pipeline.rules.tasks.task import Task

WIDTH, HEIGHT = 100, 80
DRAW = Task.BOX_DRAWING


def test_every_choice_of_a_task_is_an_answer_to_this_task_alone() -> None:
    expected = {(task, answer): [task] for task, answers in CHOICES.items() for answer in answers}
    taking = {key: [one for one in Task if fault_in(one, key[1], WIDTH, HEIGHT) is None] for key in expected}
    assert expected and taking == expected


def test_a_drawing_is_a_box_inside_the_image_or_says_that_none_is_missing() -> None:
    for answer in (drawing([0, 0, WIDTH, HEIGHT]), drawing([5, 5, 6, 6]), drawing(None)):
        assert fault_in(DRAW, answer, WIDTH, HEIGHT) is None
        assert fault_in(DRAW, json.loads(json.dumps(answer)), WIDTH, HEIGHT) is None


def test_anything_else_is_refused_in_words() -> None:
    refused: list[tuple[Task, Any, str]] = [
        (Task.BOX_QUALITY, "great", "The answer to box quality must be one of ['good', 'bad'], not 'great'."),
        (Task.BOX_REQUIREMENT, 0, "must be one of [1, 2, 3], not 0."),  # the vote of a worker who drew nothing
        (Task.BOX_REQUIREMENT, True, "not True."),
        (Task.BOX_REQUIREMENT, 1.0, "not 1.0."),
        (Task.BOX_REQUIREMENT, ["1"], "not ['1']."),
        (Task.BOX_COVERAGE, None, "not None."),
        (DRAW, "box", 'A drawing is {"box": [x0, y0, x1, y1]} or {"none_missing": true}.'),
        (DRAW, {"none_missing": False}, "A drawing is "),
        (DRAW, {"box": [1, 2, 3, 4], "none_missing": True}, "A drawing is "),
        (DRAW, {"box": [1, 2, 3]}, "A box has four edges in whole pixels, not [1, 2, 3]."),
        (DRAW, {"box": [1, 2, 3, 4.0]}, "A box has four edges in whole pixels"),
        (DRAW, {"box": [0, 0, 1, True]}, "A box has four edges in whole pixels"),
        (DRAW, {"box": [5, 5, 5, 9]}, "The box [5, 5, 5, 9] is empty or lies outside the image of 100 x 80 pixels."),
        (DRAW, {"box": [0, 0, 100, 81]}, "lies outside the image"),
        (DRAW, {"box": [-1, 0, 5, 5]}, "lies outside the image"),
    ]
    for task, answer, fault in refused:
        assert fault in (fault_in(task, answer, WIDTH, HEIGHT) or ""), (task, answer)


def test_a_part_is_an_answer_to_a_link_where_the_project_asks_for_it() -> None:
    takes = {
        (task, part)
        for task in Task
        for part in ("a is part of b", "b is part of a", "part")
        if fault_in(task, part, WIDTH, HEIGHT, part_answers=True) is None
    }
    assert takes == {(Task.COREFERENCE_LINK, "a is part of b"), (Task.COREFERENCE_LINK, "b is part of a")}
    refused = fault_in(Task.COREFERENCE_LINK, "a is part of b", WIDTH, HEIGHT) or ""
    assert refused.endswith("must be one of ['same', 'different'], not 'a is part of b'.")
    assert schema_of(Task.COREFERENCE_LINK)["enum"] == ["same", "different", "a is part of b", "b is part of a"]


def test_the_schema_of_a_task_names_its_choices_and_the_two_kinds_of_drawing() -> None:
    assert schema_of(Task.BOX_REQUIREMENT) == {"type": "integer", "enum": [1, 2, 3]}
    assert schema_of(Task.BOX_COVERAGE) == {"type": "string", "enum": ["all there", "more needed"]}
    assert [one["required"] for one in schema_of(DRAW)["oneOf"]] == [["box"], ["none_missing"]]
