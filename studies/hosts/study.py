"""Workers answer and a requester carries files while faults happen to hosts; then the books are checked."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from studies.faults.campaign import books, choose, prepare
from studies.faults.crew import Crew, Journal, Services
from studies.faults.faults import PROJECT
from studies.hosts.carrier import Carrier
from studies.hosts.faults import HostFault, all_faults
from studies.hosts.stack import JOBS, Hosts, running
from studies.tables import markdown
from tests.support.services import wait_until

BACK_SECONDS = 30.0
"""The goal: the time in which the service works again, and a host that can reach everything again."""
THINK_SECONDS = 3.0
"""The time for which a worker thinks before submitting: questions must last as long as the faults."""
QUIET_SECONDS = 20.0
END_SECONDS = 600.0
"""The time that workers and service get to finish everything after the last fault."""
TICK = "SELECT finished_at FROM runtime_jobrun WHERE key = 'pipeline.tick'"


@dataclass(frozen=True)
class Happened:
    """A fault that happened to a host."""

    name: str
    host: str
    went_on: float
    """Seconds until the sweep ran and an answer was stored, with the clock on a host that can send."""
    back: float
    """Seconds from the end of the fault until every host worked; of a killed one, until it had started again."""


@dataclass
class Outcome:
    """The result of a study."""

    seed: int
    faults: list[Happened] = field(default_factory=list)
    acknowledged: int = 0
    repeats: int = 0
    unavailable: dict[str, int] = field(default_factory=dict)
    carried: dict[str, int] = field(default_factory=dict)
    """The deeds of the requester, by kind."""
    silence: float = 0.0
    """The longest time between two acknowledged submissions during the faults."""
    ended: bool = False
    seconds: float = 0.0
    problems: dict[str, list[str]] = field(default_factory=dict)

    @property
    def late(self) -> list[str]:
        """Return what took longer than the goal. A killed host starts in its own time; the others go on."""
        late = [fault.name for fault in self.faults if fault.went_on > BACK_SECONDS]
        return late + [fault.name for fault in self.faults if "killed" not in fault.name and fault.back > BACK_SECONDS]

    @property
    def sound(self) -> bool:
        return self.ended and not self.late and not any(self.problems.values())


def run_study(
    root: Path,
    *,
    seed: int,
    faults: int,
    images: int,
    workers: int = 8,
    lasts: float = 20.0,
    jobs: int = len(JOBS),
    only: tuple[str, ...] = (),
    step: Callable[[Happened], object] = lambda happened: None,
) -> Outcome:
    """Run the service on several hosts under faults, and check its books.

    `lasts`: seconds of each fault. `jobs`: hosts for jobs. `only`: words of which one must occur in a fault's name or
    kind. `step` gets each fault when it is over. Raises ServerError and ServiceError.
    """
    outcome, begun = Outcome(seed), time.monotonic()
    rng = random.Random(seed)
    chosen = choose(all_faults(), faults, only, rng)
    with (
        TemporaryDirectory(prefix="chainbox-hosts-") as name,
        running(root, Path(name) / "stack", jobs=JOBS[:jobs], web_processes=2) as stack,
    ):
        journal = Journal()
        keys = prepare(stack, seed, images, workers, 0.2)
        services = Services(*map(stack.address, stack.web))
        crew = Crew(services, PROJECT, keys, seed, journal)
        crew.quiet_seconds, crew.think_seconds = QUIET_SECONDS, THINK_SECONDS
        crew.pictures = True
        carrier = Carrier(stack, random.Random(seed + 1))
        crew.start()
        carrier.start()
        try:
            first = time.monotonic()
            for fault in chosen:
                outcome.faults.append(_let_happen(stack, journal, fault, rng, lasts))
                step(outcome.faults[-1])
            outcome.silence = _longest([first, *journal.moments, time.monotonic()])
            carrier.finish()
            crew.think_seconds = 0.0
            journal.expect_work()
            crew.go_home.set()
            outcome.ended = crew.wait(END_SECONDS)
        finally:
            carrier.over.set()
            crew.go_home.set()
            crew.over.set()
        carrier.join()
        outcome.acknowledged, outcome.repeats = journal.acknowledged, journal.repeats
        outcome.unavailable = dict(journal.unavailable + carrier.unavailable)
        outcome.carried = dict(carrier.done)
        outcome.problems = {**books(stack, journal, images), "carried": carrier.problems}
    outcome.seconds = time.monotonic() - begun
    return outcome


def _let_happen(stack: Hosts, journal: Journal, fault: HostFault, rng: random.Random, lasts: float) -> Happened:
    host = fault.who(stack, rng)
    before = stack.ask(TICK)
    begun = time.monotonic()

    def goes_on() -> bool:
        holder = stack.holder()
        handed_over = holder not in ("", host) if fault.hands_over else holder != ""
        answered = bool(journal.moments) and journal.moments[-1] > begun
        return answered and handed_over and stack.ask(TICK) not in (None, before)

    with fault.lasts(stack, host):
        wait_until(goes_on)
        went_on = time.monotonic() - begun
        time.sleep(max(0.0, lasts - went_on))
    ended = time.monotonic()
    wait_until(lambda: all(map(stack.works, (*stack.web, *stack.jobs))))
    return Happened(fault.name, host, round(went_on, 1), round(time.monotonic() - ended, 1))


def _longest(moments: list[float]) -> float:
    return round(max(after - before for before, after in pairwise(moments)), 1)


def table(outcome: Outcome) -> str:
    """Return a row for each kind of fault: how often, and the longest times."""
    kinds: dict[str, list[Happened]] = {}
    for fault in outcome.faults:
        kinds.setdefault(fault.name, []).append(fault)
    head = ("fault", "times", "service went on after, s", "host back after, s")
    return markdown(
        head,
        [
            (name, len(all_), f"{max(one.went_on for one in all_):.1f}", f"{max(one.back for one in all_):.1f}")
            for name, all_ in sorted(kinds.items())
        ],
    )
