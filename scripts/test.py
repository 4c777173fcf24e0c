#!/usr/bin/env python3
"""Runs the tests: `scripts/test.py` all of them, `scripts/test.py tests/house frontend/tests/forms.test.ts` some.

Three lanes run side by side. The first has the tests of rules and those on SQLite, in one process more than there are
cores. The second has those of the TypeScript part and, in one process with PostgreSQL, Redis and a Celery worker, those
about what these do, then those in Firefox. The third has those in Chromium. Browsers wait more than they work.
`--long` runs the tests that take minutes instead. The end names the minutes and the processor minutes of each part.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [".venv/bin/pytest"]
SERVERS = [".venv/bin/python", "scripts/with_services.py", "--"]
ON_SQLITE, ON_SERVERS = "not services and not long", "(services or both_engines) and not long"
# Files are shared among processes whole, in the order of tests/conftest.py: tests of a file share what they make.
TOGETHER = ["--dist", "loadfile", "--no-loadscope-reorder"]
# The tests on SQLite compute all the time. Those of other lanes wait often, and go on at once where these give way.
GIVING_WAY = ["nice", "-n", "5"]
SLOWEST = ["--durations=20", "--durations-min=3"]
RULES, IN_CHROMIUM, IN_FIREFOX = "*/rules", "*_in_chromium.py", "*_in_firefox.py"
NO_TESTS = 5
"""The exit code of pytest where nothing was selected."""


@dataclass
class Part:
    """A command whose result and time are printed at the end."""

    title: str
    command: Sequence[str]
    may_be_empty: bool = False
    process: "subprocess.Popen[bytes] | None" = None
    result: str = "stopped"
    seconds: float = 0
    processor_seconds: float = 0
    ended: bool = False

    def run(self, out: IO[bytes] | None) -> None:
        """Run the command, and measure it and every process that it has waited for."""
        if self.ended:
            return
        begun = time.monotonic()
        self.process = subprocess.Popen(self.command, cwd=ROOT, stdout=out, stderr=out and subprocess.STDOUT)
        try:
            _, status, usage = os.wait4(self.process.pid, 0)
        except SystemExit:
            os.waitpid(self.process.pid, 0)  # it was told to end, and takes down what it has begun
            raise
        code = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds, self.processor_seconds = time.monotonic() - begun, usage.ru_utime + usage.ru_stime
        self.result = "passed" if code == 0 or (code == NO_TESTS and self.may_be_empty) else "FAILED"

    def end(self) -> None:
        """End the command if it runs, and do not begin it otherwise."""
        self.ended = True
        if self.process and self.process.returncode is None:
            self.process.terminate()


Lane = list[Part]


def all_tests() -> list[Lane]:
    """Return the lanes of the whole run."""
    # One more than there are cores: some tests wait for servers and clocks.
    processes = ["-n", str(min((os.cpu_count() or 1) + 1, 5)), *TOGETHER]
    rules = [str(folder.relative_to(ROOT)) for folder in sorted(ROOT.glob("tests/*/rules"))]
    elsewhere = [f"--ignore-glob={one}" for one in (RULES, IN_CHROMIUM, IN_FIREFOX)]
    chromium, firefox = (
        sorted(str(file.relative_to(ROOT)) for file in ROOT.glob(f"tests/**/test{one}"))
        for one in (IN_CHROMIUM, IN_FIREFOX)
    )
    return [
        [
            # Tests of rules run in one process, because their time is measured.
            Part("Rules", [*PYTEST, "-p", "no:logging", *rules]),
            Part("SQLite", [*GIVING_WAY, *PYTEST, *processes, *elsewhere, *SLOWEST, "-m", ON_SQLITE]),
        ],
        [
            Part("TypeScript", ["scripts/frontend.sh", "test"]),
            Part(
                "PostgreSQL, Redis and Celery",
                [*SERVERS, *PYTEST, *marked_for_servers(), *SLOWEST, "-m", ON_SERVERS],
            ),
            # In this lane, which ends before those of Chromium do.
            Part("Firefox", [*PYTEST, *firefox, *SLOWEST, "-m", ON_SQLITE]),
        ],
        [Part("Chromium", [*PYTEST, *chromium, *SLOWEST, "-m", ON_SQLITE])],
    ]


def marked_for_servers() -> list[str]:
    """Return the files that name a mark of tests on servers. To read all files takes as long as some of these tests."""
    marks = ("mark.services", "mark.both_engines")
    files = [file for file in sorted(ROOT.glob("tests/**/test_*.py")) if file.parent.name != "rules"]
    return [str(file.relative_to(ROOT)) for file in files if any(mark in file.read_text() for mark in marks)]


def long_tests() -> list[Lane]:
    """Return the tests that take minutes, one after another, since some of them measure."""
    every = [*PYTEST, "--durations=20", "-m"]
    return [
        [
            Part("Long, SQLite", [*every, "long and not services"], may_be_empty=True),
            Part("Long, PostgreSQL, Redis and Celery", [*SERVERS, *every, "long and services"], may_be_empty=True),
        ]
    ]


def some_tests(places: Sequence[str]) -> list[Lane]:
    """Return the tests of some files and folders. Servers start only where a test needs them."""
    typescript = [place.removeprefix("frontend/") for place in places if place.startswith("frontend/")]
    python = [place for place in places if not place.startswith("frontend/")]
    lane = [Part("TypeScript", ["scripts/frontend.sh", "test", *typescript])] if typescript else []
    if python:
        lane.append(Part("SQLite", [*PYTEST, *python, "-m", ON_SQLITE], may_be_empty=True))
        on_servers = [*PYTEST, *python, "-m", ON_SERVERS]
        look = subprocess.run([*on_servers, "--collect-only", "-qq"], cwd=ROOT, capture_output=True, check=False)
        if look.returncode == 0:
            lane.append(Part("PostgreSQL, Redis and Celery", [*SERVERS, *on_servers]))
    return [lane]


def run_beside(lane: Lane) -> None:
    """Run the parts of a lane, and show what each has written when it has ended."""
    for part in lane:
        with tempfile.TemporaryFile() as written:
            part.run(written)
            written.seek(0)
            print(f"\n== {part.title}", flush=True)
            sys.stdout.buffer.write(written.read())
            sys.stdout.flush()


def run_in_front(lane: Sequence[Part]) -> None:
    """Run the parts of a lane, and show what they write as they write it."""
    for part in lane:
        print(f"\n== {part.title}", flush=True)
        part.run(None)


@contextlib.contextmanager
def ended_with_this(parts: Sequence[Part]) -> Iterator[None]:
    """End the commands that run when this process is told to end."""

    def leave(number: int, _: object) -> None:
        for part in parts:
            part.end()
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(lanes: list[Lane], last: Sequence[Part] = ()) -> bool:
    """Run the lanes side by side, then the last parts, and print the time of each. Returns whether all passed."""
    parts = [*(part for lane in lanes for part in lane), *last]
    begun = time.monotonic()
    with ended_with_this(parts), ThreadPoolExecutor() as threads:
        beside = [threads.submit(run_beside, lane) for lane in lanes[1:]]
        run_in_front(lanes[0])
        for one in beside:
            one.result()
        run_in_front(last)
    print("\n== Minutes, and minutes of a processor, of each part")
    for part in parts:
        print(f"{minutes(part.seconds)} {minutes(part.processor_seconds)}  {part.result}  {part.title}")
    together = sum(part.processor_seconds for part in parts)
    print(f"{minutes(time.monotonic() - begun)} {minutes(together)}          all together", flush=True)
    return all(part.result == "passed" for part in parts)


def minutes(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60:3d}:{whole % 60:02d}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests: all, or those of some files and folders.")
    parser.add_argument("places", nargs="*", metavar="PATH", help="file or folder below tests/ or frontend/tests/")
    parser.add_argument("--long", action="store_true", help="run the tests that take minutes instead")
    parser.add_argument("--engines", action="store_true", help="fail, too, if statements ran on SQLite alone")
    given = parser.parse_args()
    if missing := [place for place in given.places if not (ROOT / place.partition("::")[0]).exists()]:
        parser.error(f"there is no {missing[0]}: name a file or folder below tests/ or frontend/tests/")
    # Tests start hundreds of processes. Without bytecode on disk each would compile Django and everything else again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    lanes = long_tests() if given.long else some_tests(given.places) if given.places else all_tests()
    with tempfile.TemporaryDirectory(prefix="chainbox-share-") as share:
        os.environ["CHAINBOX_TESTS_SHARE"] = share
        if not given.engines:
            return 0 if run(lanes) else 1
        places = Path(share, "places")
        places.mkdir()
        os.environ["CHAINBOX_STATEMENT_PLACES"] = str(places)
        compare = [".venv/bin/python", "-m", "tests.support.statement_places", str(places)]
        return 0 if run(lanes, [Part("Statements ran on both engines", compare)]) else 1


if __name__ == "__main__":
    sys.exit(main())
