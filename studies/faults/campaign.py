"""One campaign: a fresh service, workers, faults in an order given by a seed, and the books."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from scenes.write import write_source
from studies.faults.books import LEASE_MINUTES
from studies.faults.crew import QUIET_SECONDS, Crew, Journal
from studies.faults.faults import PROJECT, Fault, all_faults
from studies.faults.stack import Stack, running

BETWEEN = (0.3, 1.5)
"""Least and most seconds between two faults."""
LEASE_OF_DAY = 30.0
"""Minutes of a lease in a campaign of a day."""
QUIET_AFTER_REDIS = 20.0
"""Workers go home when nobody has found work for so long. A job runner that lost Redis takes some seconds to return."""
END_SECONDS = 240.0
"""The time that workers and service get to finish everything after the last fault."""


@dataclass
class Outcome:
    """The result of a campaign."""

    seed: int
    embedded: bool
    faults: dict[str, int] = field(default_factory=dict)
    """The number of times that each fault happened."""
    acknowledged: int = 0
    """Answers that the service confirmed."""
    repeats: int = 0
    """Requests that workers sent again."""
    seconds: float = 0.0
    ended: bool = False
    """Whether workers and service finished by themselves."""
    problems: dict[str, list[str]] = field(default_factory=dict)
    """Mistakes in the books, by kind."""

    @property
    def sound(self) -> bool:
        return self.ended and not any(self.problems.values())


def run_campaign(
    root: Path,
    *,
    seed: int,
    faults: int,
    images: int = 6,
    workers: int = 8,
    embedded: bool = False,
    empty: Path | None = None,
    day_minutes: float = 0.0,
    lease_minutes: float = LEASE_MINUTES,
    only: Sequence[str] = (),
    end_seconds: float = END_SECONDS,
    step: Callable[[str], object] = lambda fault: None,
) -> Outcome:
    """Run the service of a source tree under faults, and check its books.

    `empty`: the folder of an embedded service to start from, instead of running the migrations.
    `day_minutes`: let a day pass for the service in so many minutes, with workers who come and go; 0: real time, with
    leases of `lease_minutes`.
    `only`: words of which one must occur in the name or kind of a fault. `step` gets the name of each fault before it
    happens. Raises ServerError if the service does not start or does not come back.
    """
    outcome = Outcome(seed, embedded)
    begun = time.monotonic()
    with TemporaryDirectory(prefix="chainbox-faults-") as name:
        folder = Path(name) / "stack"
        with running(root, folder, embedded=embedded, empty=empty) as stack:
            journal = _begin(stack, seed, images, workers, LEASE_OF_DAY if day_minutes else lease_minutes)
            speed = 24 * 60 / day_minutes if day_minutes else 1.0
            crew = Crew(stack.port, PROJECT, journal.keys, seed, journal.journal, clock_speed=speed)
            crew.quiet_seconds = QUIET_SECONDS if stack.embedded else QUIET_AFTER_REDIS
            stack.crew = crew
            day = _Day(stack, day_minutes)
            day.start()
            crew.start()
            try:
                chosen = choose(all_faults(stack), faults, only, random.Random(seed))
                _disturb(stack, chosen, random.Random(seed + 1), outcome, step, day_minutes * 60 / max(1, faults))
                _recover(stack)
                journal.journal.expect_work()
                crew.go_home.set()
                outcome.ended = crew.wait(end_seconds)
            finally:
                crew.go_home.set()
                crew.over.set()
                day.over.set()
                day.join()
            outcome.acknowledged, outcome.repeats = journal.journal.acknowledged, journal.journal.repeats
            outcome.problems = _books(stack, journal.journal, images)
    outcome.seconds = time.monotonic() - begun
    return outcome


def choose(faults: Sequence[Fault], number: int, only: Sequence[str], lot: random.Random) -> list[Fault]:
    """Return so many faults in a random order; each comes once before one comes twice. Raises ValueError for none."""
    wanted = [one for one in faults if not only or any(word in f"{one.kind} {one.name}" for word in only)]
    if not wanted:
        raise ValueError(f"no fault is called {' or '.join(only)}")
    chosen: list[Fault] = []
    while len(chosen) < number:
        chosen += lot.sample(wanted, len(wanted))
    return chosen[:number]


class _Day(threading.Thread):
    """Lets a day pass for the service in a few minutes; does nothing for 0 minutes."""

    def __init__(self, stack: Stack, minutes: float) -> None:
        super().__init__(name="day")
        self.stack, self.minutes, self.over = stack, minutes, threading.Event()

    def run(self) -> None:
        begun = time.monotonic()
        while self.minutes and not self.over.wait(0.5):
            self.stack.move_clock((time.monotonic() - begun) * (24 * 60 / self.minutes - 1))


@dataclass
class _Begun:
    keys: list[str]
    journal: Journal


def _begin(stack: Stack, seed: int, images: int, workers: int, lease_minutes: float) -> _Begun:
    source = stack.folder / "source"
    write_source(source, seed + 1, images)
    words = ["fault_books", "prepare", PROJECT, "--source", str(source), "--workers", str(workers)]
    words += ["--lease-minutes", str(lease_minutes)]
    keys = json.loads(stack.command("-m", "studies", *words).stdout.splitlines()[-1])
    return _Begun(keys, Journal())


def _disturb(
    stack: Stack,
    faults: Sequence[Fault],
    lot: random.Random,
    outcome: Outcome,
    step: Callable[[str], object],
    at_least: float,
) -> None:
    """Let the faults happen, one after the other, at most one in `at_least` seconds."""
    counts: Counter[str] = Counter()
    for fault in faults:
        begun = time.monotonic()
        step(fault.name)
        if fault.act(stack, lot) is False:
            step(f"{fault.name}: no process came there")
        else:
            counts[fault.name] += 1
        time.sleep(max(lot.uniform(*BETWEEN), at_least - (time.monotonic() - begun)))
    outcome.faults = dict(sorted(counts.items()))


def _recover(stack: Stack) -> None:
    """Wait until every server runs again; no one fault is left."""
    for mark in stack.marks.iterdir():
        mark.unlink(missing_ok=True)
    for server in stack.servers.values():
        server.wait_ready()


def _books(stack: Stack, journal: Journal, images: int) -> dict[str, list[str]]:
    file = stack.folder / "journal.json"
    file.write_text(json.dumps(journal.submissions))
    expected = images + 2 * sum(1 for _ in stack.folder.glob("more-*"))
    words = ("fault_books", "check", PROJECT, "--journal", str(file), "--images", str(expected))
    found = json.loads(stack.command("-m", "studies", *words).stdout.splitlines()[-1])
    return {**found, "refused": journal.refusals[:20], "commands": stack.failures}


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as JSON text."""
    return json.dumps([asdict(one) | {"sound": one.sound} for one in outcomes], indent=2) + "\n"


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a Markdown table: a row for each campaign, then the number of times each fault happened."""
    kinds = ("lost", "doubled", "stuck", "money", "images", "refused", "commands")
    head = ["seed", "service", "faults", "acknowledged", "sent again", *kinds, "replay", "ended"]
    rows: list[list[object]] = [[*head], ["---"] * len(head)]
    for one in outcomes:
        count = {kind: len(problems) for kind, problems in one.problems.items()}
        service = "embedded" if one.embedded else "server"
        row = [one.seed, service, sum(one.faults.values()), one.acknowledged, one.repeats, *map(count.get, kinds)]
        rows.append([*row, "differs" if count.get("replay") else "equal", "yes" if one.ended else "no"])
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    total: Counter[str] = Counter()
    for one in outcomes:
        total.update(one.faults)
    lines += ["", "| fault | times |", "|---|---|", *(f"| {name} | {times} |" for name, times in sorted(total.items()))]
    return "\n".join(lines) + "\n"
