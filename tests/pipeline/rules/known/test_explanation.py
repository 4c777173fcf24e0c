"""Explanations of examples: one for every right answer."""

import pytest

from pipeline.rules.known.explanation import explain
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import Task

BOX = [0, 0, 10, 10]


def test_every_answer_is_explained_and_each_otherwise() -> None:
    said = [explain(task, {"boxes": []}, truth) for task, truths in CHOICES.items() for truth in truths]
    assert len(set(said)) == len(said)
    assert all(text.endswith(".") for text in said)


@pytest.mark.parametrize(
    ("there", "missing", "words"),
    [
        (0, 0, "Nothing here needs a box."),
        (2, 0, "Everything that the phrase names has its box."),
        (0, 1, "Draw one box"),
        (1, 1, "One box is missing"),
        (0, 3, "3 boxes are missing. Draw any one"),
    ],
)
def test_a_drawing_is_explained_by_what_is_missing(there: int, missing: int, words: str) -> None:
    assert explain(Task.BOX_DRAWING, {"boxes": [BOX] * there}, [BOX] * missing).startswith(words)
