"""Reads that take long are kept for a while; quick ones are made each time."""

import itertools
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from upkeep import slow_reads
from upkeep.slow_reads import kept


@pytest.fixture
def reads_take(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let every read from now on take so many seconds."""
    monkeypatch.setattr(slow_reads, "SHARE", 60)

    def takes(seconds: float) -> None:
        moments = itertools.count(0.0, seconds)
        monkeypatch.setattr(slow_reads, "time", SimpleNamespace(monotonic=lambda: next(moments)))

    return takes


def test_a_read_that_took_long_is_kept_and_a_quick_one_is_not(reads_take: Callable[[float], None]) -> None:
    numbers = itertools.count()
    reads_take(0.1)
    assert [kept("quick", lambda: next(numbers)) for _ in range(2)] == [0, 1]
    reads_take(0.3)
    assert [kept("slow", lambda: next(numbers)) for _ in range(2)] == [2, 2]
