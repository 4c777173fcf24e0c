"""One campaign: a fresh service, workers, faults in an order given by a seed, and the books."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from simulation.scenes.scene import write_source
from studies.command import markdown
from studies.faults.books import LEASE_MINUTES
from studies.faults.crew import QUIET_SECONDS, Crew, Journal
from studies.faults.faults import PROJECT, Fault, all_faults
from studies.faults.stack import Stack, running
from tests.support.services import PATIENCE

BETWEEN = (0.3, 1.5)
"""Least and most seconds between two faults."""
QUIET_AFTER_REDIS = 20.0
"""Workers go home when nobody has found work for so long. A job runner that lost Redis takes some seconds to return."""


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
    lease_minutes: float = LEASE_MINUTES,
    only: Sequence[str] = (),
    step: Callable[[str], object] = lambda fault: None,
) -> Outcome:
    """Run the service of a source tree under faults, and check its books.

    `empty`: the folder of an embedded service to start from, instead of running the migrations.
    `only`: words of which one must occur in the name or kind of a fault. `step` gets the name of each fault before it
    happens. Raises ServerError if the service does not start or does not come back.
    """
    outcome = Outcome(seed, embedded)
    begun = time.monotonic()
    with TemporaryDirectory(prefix="chainbox-faults-") as name:
        folder = Path(name) / "stack"
        with running(root, folder, embedded=embedded, empty=empty) as stack:
            journal = Journal()
            keys = prepare(stack, seed, images, workers, lease_minutes)
            crew = Crew(f"http://127.0.0.1:{stack.port}", PROJECT, keys, seed, journal)
            crew.quiet_seconds = QUIET_SECONDS if stack.embedded else QUIET_AFTER_REDIS
            stack.crew = crew
            crew.start()
            try:
                chosen = choose(all_faults(stack), faults, only, random.Random(seed))
                _disturb(stack, chosen, random.Random(seed + 1), outcome, step)
                recover(stack)
                journal.expect_work()
                crew.go_home.set()
                outcome.ended = crew.wait(PATIENCE)
            finally:
                crew.go_home.set()
                crew.over.set()
            outcome.acknowledged, outcome.repeats = journal.acknowledged, journal.repeats
            outcome.problems = books(stack, journal, images)
    outcome.seconds = time.monotonic() - begun
    return outcome


def choose(faults: Sequence[Fault], number: int, only: Sequence[str], rng: random.Random) -> list[Fault]:
    """Return `number` faults in a random order; each comes once before one comes twice. Raises ValueError for none."""
    wanted = [fault for fault in faults if not only or any(word in f"{fault.kind} {fault.name}" for word in only)]
    if not wanted:
        raise ValueError(f"no fault is called {' or '.join(only)}")
    chosen: list[Fault] = []
    while len(chosen) < number:
        chosen += rng.sample(wanted, len(wanted))
    return chosen[:number]


def prepare(stack: Stack, seed: int, images: int, workers: int, lease_minutes: float) -> list[str]:
    """Make the project and its workers. Returns each one's API key."""
    source = stack.folder / "source"
    write_source(source, seed + 1, images)
    options = ("--source", str(source), "--workers", str(workers), "--lease-minutes", str(lease_minutes))
    keys: list[str] = stack.inside("prepare", PROJECT, *options)
    return keys


def _disturb(
    stack: Stack,
    faults: Sequence[Fault],
    rng: random.Random,
    outcome: Outcome,
    step: Callable[[str], object],
) -> None:
    """Let the faults happen, one after the other."""
    counts: Counter[str] = Counter()
    for fault in faults:
        step(fault.name)
        if fault.act(stack, rng) is False:
            step(f"{fault.name}: no process came there")
        else:
            counts[fault.name] += 1
        time.sleep(rng.uniform(*BETWEEN))
    outcome.faults = dict(sorted(counts.items()))


def recover(stack: Stack) -> None:
    """Wait until every server runs again; no one fault is left."""
    for mark in stack.marks.iterdir():
        mark.unlink(missing_ok=True)
    for server in stack.servers.values():
        server.wait_ready()


def books(stack: Stack, journal: Journal, images: int) -> dict[str, list[str]]:
    file = stack.folder / "journal.json"
    file.write_text(json.dumps(journal.submissions))
    expected = images + 2 * sum(1 for _ in stack.folder.glob("more-*"))
    found = stack.inside("check", PROJECT, "--journal", str(file), "--images", str(expected))
    return {**found, "refused": journal.refusals[:20], "commands": stack.failures}


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a row for each campaign, and the number of times that each fault happened."""
    kinds = ("lost", "doubled", "stuck", "money", "images", "refused", "commands")
    head = ("seed", "service", "faults", "acknowledged", "sent again", *kinds, "replay", "ended")
    rows: list[list[object]] = []
    total: Counter[str] = Counter()
    for outcome in outcomes:
        total.update(outcome.faults)
        count = {kind: len(problems) for kind, problems in outcome.problems.items()}
        service = "embedded" if outcome.embedded else "server"
        row = [
            outcome.seed,
            service,
            sum(outcome.faults.values()),
            outcome.acknowledged,
            outcome.repeats,
            *map(count.get, kinds),
        ]
        rows.append([*row, "differs" if count.get("replay") else "equal", "yes" if outcome.ended else "no"])
    return f"{markdown(head, rows)}\n\n{markdown(('fault', 'times'), sorted(total.items()))}"
