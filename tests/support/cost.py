"""Plugin of pytest: notes the processor seconds of each test, and names those whose mark `slow` does not fit.

A report, never a verdict: a run does not fail by time. The seconds hold what the test's process and its children
computed, ended ones and those that still run, with the fixtures that the test was the first to ask for.
"""

import contextlib
import json
import os
import resource
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

SLOW = 0.5
"""Processor seconds from which a test belongs to the slow ones."""
QUICK = 0.2
"""Processor seconds below which a slow test could be among the quick ones."""
Cost = tuple[float, float, bool]
"""Processor seconds, seconds by the clock, and whether the mark `slow` does not fit them."""
costs = pytest.StashKey[dict[str, Cost]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", help="write the processor seconds of each test to FILE, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[costs] = {}


def _processor_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        time.process_time() + ended.ru_utime + ended.ru_stime + sum(_seconds_of(pid) for pid in _children(os.getpid()))
    )


def _children(pid: int) -> list[int]:
    """Return the processes that this one has begun and that still run, and those that they have begun."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            found += [int(child) for child in thread.read_text().split()]
    return found + [one for child in found for one in _children(child)]


def _seconds_of(pid: int) -> float:
    """Return what a process that runs has computed, and its children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    begun, before = time.monotonic(), _processor_seconds()
    try:
        return (yield)
    finally:
        seconds, clock = max(0.0, _processor_seconds() - before), time.monotonic() - begun
        item.config.stash[costs][item.nodeid] = (seconds, clock, _is_odd(item, seconds, clock))


def _is_odd(item: pytest.Item, seconds: float, clock: float) -> bool:
    """Tell whether the mark `slow` does not fit the test. In browsers and on servers, `smoke` chooses instead."""
    if item.get_closest_marker("browser") or os.environ.get("DATABASE_URL"):
        return False
    return max(seconds, clock) < QUICK if item.get_closest_marker("slow") else seconds >= SLOW


def pytest_testnodedown(node: Any) -> None:
    """Collect the measurements of a process of -n when it ends."""
    node.config.stash[costs].update(node.workeroutput.get("costs", {}))


@pytest.hookimpl(tryfirst=True)  # a process of -n sends its workeroutput at the end of this
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = session.config.stash[costs]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    where = config.getoption("--costs")
    measured = config.stash[costs]
    if not where or not measured:
        return
    Path(where).write_text(json.dumps(measured, indent=0))
    total = sum(seconds for seconds, _, _ in measured.values())
    odd = sorted((seconds, test) for test, (seconds, _, is_odd) in measured.items() if is_odd)
    terminalreporter.write_line(f"{len(measured)} tests took {total:.0f} processor seconds.")
    terminalreporter.write_line(f"{len(odd)} have a mark `slow` that does not fit, or lack it:")
    for seconds, test in reversed(odd):
        terminalreporter.write_line(f"{seconds:7.2f} s  {test}")
