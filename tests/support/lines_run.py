"""The number of steps of a piece of Python, which is the same on every machine."""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

ROUNDS = 6


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


def growth(work: Callable[[int], object], small: int, large: int, enough: float) -> float:
    """Return how many times longer the large work takes than the small one, for work that Python cannot count.

    The shortest of several rounds counts for each, so other work of the machine does not; rounds end as soon as
    the factor is less than `enough`.
    """
    least = {small: float("inf"), large: float("inf")}
    for _ in range(ROUNDS):
        for size in least:
            began = time.thread_time()
            work(size)
            least[size] = min(least[size], time.thread_time() - began)
        if least[large] < enough * least[small]:
            break
    return least[large] / least[small]
