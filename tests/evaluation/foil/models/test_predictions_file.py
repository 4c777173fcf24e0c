"""Predictions of another model are read by caption; those of other captions are left out."""

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
    model = FromFile("mine", read_predictions(path, KNOWN, "test")[0])
    assert model.predict_t1(FOILS) == [True, None]
    assert model.predict_t2(FOILS, [[1], [1]]) == [1, None]
    assert model.predict_t2(FOILS, [[1, 2], [1]]) == [2, None]
    assert model.predict_t3(FOILS, [1, 1]) == ["dog", None]


def test_a_wrong_noun_is_not_saved_by_a_right_place(lines: Callable[..., Path]) -> None:
    path = lines({"item": "a#0:foil", "answer": "foil", "place": 1, "noun": 0})
    model = FromFile("mine", read_predictions(path, KNOWN, "test")[0])
    assert model.predict_t2(FOILS, [[1], [1]]) == [None, None]
    assert model.predict_t2(FOILS, [[1, 2], [1]]) == [1, None]


def test_tasks_that_no_line_answers_are_not_scored(lines: Callable[..., Path]) -> None:
    model = FromFile("mine", read_predictions(lines({"item": "a#0:foil", "answer": "foil"}), KNOWN, "test")[0])
    assert model.predict_t2(FOILS, [[1], [1]]) is None
    assert model.predict_t3(FOILS, [1, 1]) is None


def test_captions_of_another_part_are_left_out_unless_there_are_no_others(lines: Callable[..., Path]) -> None:
    other, own = ({"item": f"{name}:foil", "answer": "foil"} for name in ("c#0", "a#0"))

    assert read_predictions(lines(other, own), KNOWN, "test")[1] == ["c#0:foil"]
    with pytest.raises(InputError, match="the items of the part 'test' have no caption 'c#0:foil'"):
        read_predictions(lines(other), KNOWN, "test")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"item": 7, "answer": "foil"}, "line 2: the field 'item' is '7', not a text"),
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
