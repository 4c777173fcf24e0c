"""JSON from strangers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.errors import InputError
from evaluation.reading.json_lines import json_lines, number, whole


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"a": NaN}', "line 2: NaN is not a number"),
        ('{"a": Infinity}', "line 2: Infinity is not a number"),
        ('{"a": 1, "a": 2}', "line 2: the field 'a' stands twice"),
        ("{", "line 2 is no JSON"),
        ("[" * 100_000, "line 2 is no JSON"),
    ],
)
def test_a_bad_line_is_named(lines: Callable[..., Path], line: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        list(json_lines(lines("{}", line)))
    assert told in str(refused.value)


def test_blank_lines_count_but_give_nothing(lines: Callable[..., Path]) -> None:
    assert [where for where, _ in json_lines(lines("", "1", " ", "2"))] == [
        "predictions.jsonl, line 2", "predictions.jsonl, line 4",
    ]  # fmt: skip


@pytest.mark.parametrize("value", [True, 1.0, "1", -1, None])
def test_a_whole_number_is_nothing_else(value: object) -> None:
    with pytest.raises(InputError, match=r"caption is .*, not a whole number from 0"):
        whole(value, "caption")


@pytest.mark.parametrize("value", [True, "1", None, 10**400, 1e999])
def test_a_number_is_finite(value: object) -> None:
    with pytest.raises(InputError, match="an edge is"):
        number(value, "an edge")
