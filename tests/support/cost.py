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
"""Processor seconds, seconds by the clock, and whether the test is marked slow."""
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
        slow = item.get_closest_marker("slow") is not None
        item.config.stash[costs][item.nodeid] = (_processor_seconds() - before, time.monotonic() - begun, slow)


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
    unmarked = {test: seconds for test, (seconds, _, slow) in measured.items() if seconds >= SLOW and not slow}
    marked = {
        test: seconds for test, (seconds, clock, slow) in measured.items() if max(seconds, clock) < QUICK and slow
    }
    total = sum(seconds for seconds, _, _ in measured.values())
    terminalreporter.write_line(f"{len(measured)} tests took {total:.0f} processor seconds (pid {os.getpid()}).")
    for title, tests in (("take long and are not marked slow", unmarked), ("are marked slow and quick", marked)):
        terminalreporter.write_line(f"{len(tests)} {title}:")
        for test, seconds in sorted(tests.items(), key=lambda item: -item[1]):
            terminalreporter.write_line(f"{seconds:7.2f} s  {test}")
