"""Plugin of pytest: tests of rules use no database, and all of them together take under two seconds.

The seconds are processor time at the speed of a reference machine: a processor that shares its core with other work
does less in a second. Short loops between the tests tell the speed.
"""

import statistics
import time
from collections.abc import Generator
from typing import Any

import pytest

from tests.support.places import is_rule_test

LIMIT = 2.0
FAR_ABOVE = 2 * LIMIT
"""Seconds that fail the run. From the limit on, the summary warns: a machine may be slower at tests than at loops."""
EVERY = 10
"""Tests between two loops."""
STEPS = 10_000
LOOP_SECONDS = 0.00034
"""Processor time of the loop on the reference machine: two cores of an AMD EPYC, nothing else running."""
Measured = tuple[list[float], list[float]]
"""The seconds of each test, and those of each loop."""
measured = pytest.StashKey[Measured]()


def reference_seconds(tests: list[float], loops: list[float]) -> float:
    """Return what the tests would have taken on the reference machine. A faster machine gains nothing."""
    slower = max(1.0, statistics.fmean(loops) / LOOP_SECONDS) if loops else 1.0
    return sum(tests) / slower


def _loop() -> float:
    before, total = time.process_time(), 0
    for number in range(STEPS):
        total += number * number % 7
    return time.process_time() - before


def pytest_configure(config: pytest.Config) -> None:
    config.stash[measured] = ([], [])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    # Processor time does not depend on other work of the machine, except on the other half of the same core.
    if not is_rule_test(item):
        return (yield)
    tests, loops = item.config.stash[measured]
    if len(tests) % EVERY == 0:
        loops.append(_loop())
    before = time.process_time()
    try:
        return (yield)
    finally:
        tests.append(time.process_time() - before)


def pytest_testnodedown(node: Any) -> None:
    """Collect the measurements of a process of -n when it ends."""
    for mine, its in zip(node.config.stash[measured], node.workeroutput.get("rules_time", ([], [])), strict=True):
        mine.extend(its)


@pytest.hookimpl(tryfirst=True)  # a process of -n sends its workeroutput at the end of this
def pytest_sessionfinish(session: pytest.Session) -> None:
    tests, loops = session.config.stash[measured]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["rules_time"] = (tests, loops)
    elif reference_seconds(tests, loops) > FAR_ABOVE and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    tests, loops = config.stash[measured]
    if tests:
        total = reference_seconds(tests, loops)
        verdict = f": FAILED, far more than {LIMIT:g} s" if total > FAR_ABOVE else f": MORE THAN {LIMIT:g} s"
        terminalreporter.write_line(
            f"{len(tests)} tests of rules took {total:.2f} s of processor time at the reference speed "
            f"({sum(tests):.2f} s here){verdict if total > LIMIT else ''}",
            red=total > LIMIT,
        )
