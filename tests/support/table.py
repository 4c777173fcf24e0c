"""A test as a table: a decorator for each row, above the test."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

Test = Callable[..., None]


def row(*values: Any) -> Callable[[Test], Test]:
    """Run the test with these values of its first parameters, too."""
    return lambda test: _with_row(test, values, values if len(values) > 1 else values[0])


def case(sentence: str, *values: Any) -> Callable[[Test], Test]:
    """Run the test with these values of its first parameters, too, under this sentence."""
    return lambda test: _with_row(test, values, pytest.param(*values, id=sentence))


def _with_row(test: Test, values: tuple[Any, ...], kept: Any) -> Test:
    rows = vars(test).setdefault("rows", [])
    if not rows:
        names = [name for name in signature(test).parameters if name != "self"][: len(values)]
        pytest.mark.parametrize(",".join(names), rows)(test)
    rows.insert(0, kept)  # decorators come from the last to the first
    return test
