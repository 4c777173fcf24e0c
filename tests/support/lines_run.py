"""The amount of work of a piece of Python, told without the speed of the machine."""

import sys
import time
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

ROUNDS = 6
STEPS = 1_000_000
"""Steps of the loop by whose time others are told."""


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


def loops_long(work: Callable[[], object]) -> float:
    """Return how many times longer the work takes than a loop of a million steps, for work too long to be counted."""
    return _processor_seconds(work) / _loop_seconds()


@cache
def _loop_seconds() -> float:
    return min(_processor_seconds(_loop) for _ in range(ROUNDS))


def _loop() -> None:
    for _ in range(STEPS):
        pass


def _processor_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
