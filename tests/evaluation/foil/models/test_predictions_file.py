"""Predictions of another model are read by caption; those of another split are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.foil.models.model import Shown
from evaluation.foil.models.predictions_file import FromFile, read_predictions

KNOWN = {"a#0:correct", "a#0:foil", "b#1:correct", "b#1:foil"}
FOILS = [
    Shown("a#0:foil", "a", ("the", "cat", "runs"), ("DT", "NN", "VBZ")),
    Shown("b#1:foil", "b", ("a", "bus"), ("DT", "NN")),
]


def test_answers_of_all_tasks_are_given_back_and_missing_ones_are_none(lines: Callable[..., Path]) -> None:
    path = lines(
        {"item": "a#0:foil", "answer": "foil", "place": 2, "noun": 1, "word": "dog"},
        {"item": "b#1:correct", "answer": "correct"},
    )
    model = FromFile("mine", read_predictions(path, KNOWN, "test"))
    assert model.predict_t1(FOILS) == [True, None]
    assert model.predict_t2(FOILS, [[1], [1]]) == [1, None]
    assert model.predict_t2(FOILS, [[1, 2], [1]]) == [2, None]
    assert model.predict_t3(FOILS, [1, 1]) == ["dog", None]


def test_tasks_that_no_line_answers_are_not_scored(lines: Callable[..., Path]) -> None:
    model = FromFile("mine", read_predictions(lines({"item": "a#0:foil", "answer": "foil"}), KNOWN, "test"))
    assert model.predict_t2(FOILS, [[1], [1]]) is None
    assert model.predict_t3(FOILS, [1, 1]) is None


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"item": "c#0:foil", "answer": "foil"}, "line 2: the items of the part 'test' have no caption 'c#0:foil'"),
        ({"item": "a#0:foil", "answer": "foil"}, "line 2: the caption 'a#0:foil' stands twice"),
        ({"item": "b#1:foil", "answer": "yes"}, "line 2: the answer is 'yes', not 'correct' or 'foil'"),
        ({"item": "b#1:foil", "answer": "foil", "place": -1}, "line 2: the field 'place' is '-1', not a whole number"),
        ({"item": "b#1:foil", "answer": "foil", "word": 4}, "line 2: the field 'word' is not text"),
    ],
)
def test_a_bad_line_is_named(lines: Callable[..., Path], row: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_predictions(lines({"item": "a#0:foil", "answer": "foil"}, row), KNOWN, "test")
    assert told in str(refused.value)
