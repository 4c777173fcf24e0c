"""Votes are read as surveys export them, and a bad line is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.foil.human.votes import read_votes


@pytest.mark.parametrize(
    ("answer", "right", "is_right", "version"),
    [
        ("foil", "foil", True, "foil"),
        ("Wrong", "foil", True, "foil"),
        ("correct", "foil", False, "foil"),
        ("wrong", "correct", False, "correct"),
        ("wrong", True, True, "foil"),
        ("wrong", False, False, "correct"),
        ("yes", "yes", True, None),
        (True, True, True, None),
        (False, True, False, None),
        ({"answer": "wrong", "word": "dog"}, "wrong", True, "foil"),
    ],
)
def test_an_answer_is_held_against_the_right_one(
    lines: Callable[..., Path], answer: Any, right: Any, version: str | None, *, is_right: bool
) -> None:
    row = {"item": 7, "worker": "w1", "answer": answer, "right": right, "seconds": 3.5, "at": "2026-01-01"}
    ((vote,),) = read_votes(lines(row)).by_item.values()
    assert (vote.item, vote.is_right, vote.version) == ("7", is_right, version)


def test_votes_without_a_right_answer_are_counted_and_left_out(lines: Callable[..., Path]) -> None:
    rows = [{"item": 1, "worker": "a", "answer": "x", "right": right} for right in ("x", None)]
    found = read_votes(lines(rows[0], {**rows[1], "item": 2}))
    assert (list(found.by_item), found.unknown) == (["1"], 1)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"item": 1, "worker": "a", "answer": "x", "right": "x"}, "line 2: the worker 'a' votes twice on the item '1'"),
        ({"item": 1, "worker": "b", "answer": "x"}, "line 2: the field 'right' is missing"),
        ({"item": 1, "worker": "", "answer": "x", "right": "x"}, "line 2: the field 'worker' is ''"),
        ({"item": 1, "worker": "b", "answer": None, "right": "x"}, "line 2: the answer is 'None', not a text"),
        ({"item": 1, "worker": "b", "answer": "x", "right": ["x"]}, "line 2: the right answer is"),
        ({"item": 1, "worker": "b", "answer": "x", "right": "x", "word": 1}, "line 2: the field 'word' is not text"),
    ],
)
def test_a_bad_line_is_named(lines: Callable[..., Path], row: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_votes(lines({"item": 1, "worker": "a", "answer": "x", "right": "x"}, row))
    assert told in str(refused.value)


def test_a_survey_without_known_answers_is_refused(lines: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="holds no vote with a right answer"):
        read_votes(lines({"item": 1, "worker": "a", "answer": "x", "right": None}))
