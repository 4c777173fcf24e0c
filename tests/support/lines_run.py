"""The amount of work of a piece of Python, told without the speed of the machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(work: Callable[[], object]) -> int:
    """Return the number of lines of Python that the work runs."""
    lines = 0

    def trace(frame: FrameType, event: str, given: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines
