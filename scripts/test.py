#!/usr/bin/env python3
"""Runs the tests: `scripts/test.py quick`, `all`, `rest` (what `all` adds to `quick`) or `long`.

A tier is a table of lanes, which run side by side; the parts of a lane run one after another. Marks choose the tests of
a part, so that `quick` and `rest` are together `all`. `scripts/test.py tests/house frontend/tests/forms.test.ts` runs
all tests of some files and folders. The end names the minutes and the processor minutes of each part.

`--times 5` repeats a tier, each time in another order and beside two busy processes: every second run with late answers
of the server and late scripts in the browser, the last one on a single core. Logs stay in var/repeat/.
"""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ".venv/bin/python"
PYTEST = [".venv/bin/pytest"]
SERVERS = [PYTHON, "scripts/with_services.py", "--"]
# The tests on SQLite compute all the time. Those of other lanes wait often, and go on at once where these give way.
GIVING_WAY = ["nice", "-n", "5"]
# The busy processes of `--times`: no core is ever idle, and the tests on SQLite still get three quarters of each.
BUSY = ["nice", "-n", "10"]
NO_TESTS = 5
"""The exit code of pytest where nothing was selected."""
TIERS = ("quick", "rest", "all", "long")
ON_SQLITE, ON_SERVERS = "not services and not long", "(services or both_engines) and not long"


@dataclass(frozen=True)
class Suite:
    """Tests that run together. `where` and `quick` are expressions of marks: of its tests, and of those in `quick`."""

    title: str
    where: str
    quick: str
    files: str = ""
    """A pattern of the names of all files that hold such tests; none: any file."""
    words: Sequence[str] = ()
    """Such tests are in files with one of these words. To read all files takes as long as some of the tests."""
    before: Sequence[str] = ()
    processes: int = 1

    def command(self, tier: str, options: Sequence[str]) -> list[str]:
        """Return the command that runs the tests of the tier here."""
        wanted = {"quick": f"({self.where}) and {self.quick}", "rest": f"({self.where}) and not {self.quick}"}
        several = ["-n", str(self.processes), "--dist", "worksteal"] if self.processes > 1 else []
        words = ("mark.smoke",) if tier == "quick" and self.quick == "smoke" else self.words
        marks = ["-m", wanted.get(tier, self.where)]
        return [*self.before, *PYTEST, *several, *files(self.files, words), *marks, *options]


CORES = os.cpu_count() or 1
SQLITE = Suite(
    "SQLite", "not services and not browser and not long", "not slow", before=GIVING_WAY, processes=min(CORES, 4)
)
POSTGRESQL = Suite(
    "PostgreSQL, Redis and Celery",
    "(services or both_engines) and not browser and not long",
    "smoke",
    words=("mark.services", "mark.both_engines"),
    before=SERVERS,
)
CHROMIUM = Suite("Chromium", "browser and not long", "smoke", files="*_in_chromium.py")
FIREFOX = Suite("Firefox", "browser and not long", "smoke", files="*_in_firefox.py")
TYPESCRIPT = ["scripts/frontend.sh", "test"]


def files(pattern: str, words: Sequence[str]) -> list[str]:
    """Return the test files whose names fit the pattern and that hold one of the words; none where all may."""
    if not pattern and not words:
        return []
    found = sorted(ROOT.glob(f"tests/**/{pattern or 'test_*.py'}"))
    return [
        str(path.relative_to(ROOT)) for path in found if not words or any(word in path.read_text() for word in words)
    ]


@dataclass
class TestPart:
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


Lane = list[TestPart]


def lanes_of(tier: str, options: Sequence[str], costs: Path | None) -> list[Lane]:
    """Return the lanes of a tier. Browsers wait more than they work, so they stand beside what computes."""
    if tier == "long":  # one after another, since some of them measure
        every = [*PYTEST, "--durations=20", *options, "-m"]
        servers = [*SERVERS, *every, "long and services"]
        return [
            [
                TestPart("Long, SQLite", [*every, "long and not services"], True),
                TestPart("Long, PostgreSQL", servers, True),
            ]
        ]

    def part(suite: Suite) -> TestPart:
        noted = [f"--costs={costs / suite.title.partition(',')[0]}.json"] if costs else []
        listed = [] if tier == "quick" else ["--no-skips"]
        return TestPart(suite.title, suite.command(tier, [*noted, *listed, *options]))

    typescript = [] if tier == "rest" else [TestPart("TypeScript", TYPESCRIPT)]
    if tier == "quick":
        return [[part(SQLITE)], [*typescript, part(POSTGRESQL), part(CHROMIUM)]]
    return [[part(SQLITE)], [*typescript, part(POSTGRESQL), part(FIREFOX)], [part(CHROMIUM)]]


def some_tests(places: Sequence[str], options: Sequence[str]) -> list[Lane]:
    """Return the tests of some files and folders. Servers start only where a test needs them."""
    typescript = [place.removeprefix("frontend/") for place in places if place.startswith("frontend/")]
    python = [place for place in places if not place.startswith("frontend/")]
    lane = [TestPart("TypeScript", [*TYPESCRIPT, *typescript])] if typescript else []
    if python:
        lane.append(TestPart("SQLite", [*PYTEST, *python, *options, "-m", ON_SQLITE], may_be_empty=True))
        on_servers = [*PYTEST, *python, *options, "-m", ON_SERVERS]
        look = subprocess.run([*on_servers, "--collect-only", "-qq"], cwd=ROOT, capture_output=True, check=False)
        if look.returncode == 0:
            lane.append(TestPart("PostgreSQL, Redis and Celery", [*SERVERS, *on_servers]))
    return [lane]


def run_beside(lane: Lane) -> None:
    """Run the parts of a lane, and show what each has written when it has ended."""
    for part in lane:
        with tempfile.TemporaryFile() as written:
            part.run(written)
            written.seek(0)
            # A single write: another lane may write at the same moment.
            sys.stdout.buffer.write(f"\n== {part.title}\n".encode() + written.read())
            sys.stdout.buffer.flush()


def run_in_front(lane: Sequence[TestPart]) -> None:
    """Run the parts of a lane, and show what they write as they write it."""
    for part in lane:
        print(f"\n== {part.title}", flush=True)
        part.run(None)


@contextlib.contextmanager
def ended_with_this(parts: Sequence[TestPart]) -> Iterator[None]:
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


def run(lanes: list[Lane], last: Sequence[TestPart] = ()) -> bool:
    """Run the lanes side by side, then the last parts, and print the time of each. Returns whether all passed."""
    parts = [*(part for lane in lanes for part in lane), *last]
    begun = time.monotonic()
    with ended_with_this(parts), ThreadPoolExecutor() as threads:
        beside = [threads.submit(run_beside, lane) for lane in lanes[1:]]
        run_in_front(lanes[0])
        for lane in beside:
            lane.result()
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


FAILED = re.compile(
    r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$|^ *FAIL +(\S.*)$|^ *[\d:]+ +[\d:]+  FAILED  (.*)$", re.MULTILINE
)
"""A failed test as pytest and vitest name it, and a failed part as this script does."""


def failed_in(written: str) -> set[str]:
    """Return the tests and parts that a run names as failed."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", written)
    return {next(filter(None, found)).strip() for found in FAILED.findall(plain)}


@dataclass(frozen=True)
class TestRun:
    """The conditions of one run among several: its order, whether answers come late, and how many cores it has."""

    number: int
    times: int
    seed: int = field(default=0, kw_only=True)

    @property
    def late(self) -> bool:
        return self.number % 2 == 0

    @property
    def one_core(self) -> bool:
        return self.number == self.times > 1

    def command(self, tier: str) -> list[str]:
        """Return the command that runs the tier under these conditions."""
        seed = str(self.seed + self.number)
        late = ["--late", seed] if self.late else []
        core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] if self.one_core else []
        return [*core, sys.executable, "scripts/test.py", tier, "--shuffle", seed, *late]

    def run(self, tier: str, log: Path) -> set[str]:
        """Run the tier beside two busy processes, with the output in the log. Returns what failed."""
        busy = [subprocess.Popen([*BUSY, sys.executable, "-c", "while True: pass"]) for _ in range(2)]
        with log.open("wb") as out:
            tests = subprocess.Popen(self.command(tier), cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
            try:
                code = tests.wait()
            finally:
                tests.terminate()  # told to end, it ends what it has begun; killed, it would leave it running
                tests.wait()
                for process in busy:
                    process.kill()
                    process.wait()
        failed = failed_in(log.read_text(errors="replace"))
        return failed if code == 0 or failed else {f"ended with {code}"}

    def __str__(self) -> str:
        late = ", late answers" if self.late else ""
        return f"run {self.number} of {self.times} (seed {self.seed + self.number}{late}{', one core' * self.one_core})"


def repeat(tier: str, times: int, seed: int) -> bool:
    """Run a tier several times, and print which tests failed how often. Returns whether none did."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    folder = ROOT / "var/repeat"
    folder.mkdir(parents=True, exist_ok=True)
    failures: Counter[str] = Counter()
    for number in range(1, times + 1):
        trial, log = TestRun(number, times, seed=seed), folder / f"{number}.log"
        failed = trial.run(tier, log)
        failures.update(failed)
        print(f"{trial}: {len(failed)} failed; all of it in {log.relative_to(ROOT)}", flush=True)
        print("".join(log.read_text(errors="replace").rpartition("\n== Minutes")[1:]))
    for name, count in failures.most_common():
        print(f"{count} of {times}  {name}")
    return not failures


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run the tests of a tier, or those of some files and folders.")
    tiers = ", ".join(TIERS)
    parser.add_argument(
        "places",
        nargs="*",
        default=["quick"],
        metavar="TIER|PATH",
        help=f"{tiers}, or files below tests/ or frontend/tests/",
    )
    parser.add_argument("--times", type=int, help="run so often, under load, in other orders, some with late answers")
    parser.add_argument("--seed", type=int, default=0, help="where --times begins to count its orders (0)")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="the order of files and of their tests")
    parser.add_argument("--late", type=int, metavar="SEED", help="delay answers of servers and scripts in browsers")
    parser.add_argument("--costs", action="store_true", help="write processor seconds of each test to var/costs/")
    parser.add_argument("--engines", action="store_true", help="fail, too, if statements ran on SQLite alone")
    given = parser.parse_args(arguments)
    given.tier = given.places[0] if given.places[0] in TIERS else None
    if missing := [
        place for place in given.places[bool(given.tier) :] if not (ROOT / place.partition("::")[0]).exists()
    ]:
        parser.error(
            f"there is no {missing[0]}: name a tier ({tiers}), or a file or folder below tests/ or frontend/tests/"
        )
    if given.tier and len(given.places) > 1:
        parser.error("name a tier or places, not both")
    if given.times is not None and not given.tier:
        parser.error("--times takes a tier")
    return given


def run_tests() -> int:
    given = parsed()
    # Tests start hundreds of processes. Without bytecode on disk each would compile Django and everything else again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if given.tier == "all":
        os.environ.setdefault("CHAINBOX_WALKS", "280")
    if given.times is not None:
        return 0 if repeat(given.tier, given.times, given.seed) else 1
    options = [f"--{name}={value}" for name in ("shuffle", "late") if (value := getattr(given, name)) is not None]
    costs = ROOT / "var/costs" if given.costs else None
    if costs:
        costs.mkdir(parents=True, exist_ok=True)
    lanes = lanes_of(given.tier, options, costs) if given.tier else some_tests(given.places, options)
    with tempfile.TemporaryDirectory(prefix="chainbox-share-") as share:
        os.environ["CHAINBOX_TESTS_SHARE"] = share
        if not given.engines:
            return 0 if run(lanes) else 1
        places = Path(share, "places")
        places.mkdir()
        os.environ["CHAINBOX_STATEMENT_PLACES"] = str(places)
        compare = [PYTHON, "-m", "tests.support.statement_places", str(places)]
        return 0 if run(lanes, [TestPart("Statements ran on both engines", compare)]) else 1


if __name__ == "__main__":
    sys.exit(run_tests())
