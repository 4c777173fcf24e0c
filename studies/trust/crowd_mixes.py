"""Trust study: what each kind of worker contributes under a setting, and what a mixed crowd contributes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from simulation.career import Career, run_career, settings_with
from simulation.trust_crowd import GUESSING, Mix, Person, WorkerKind
from workers.rules.score import Rule

Row = dict[str, str | float]
Case = Callable[[], Row]
DEFAULT = "default: interval, probation 30 to 60"
EXACTLY_30 = "probation of exactly 30"
EXACT: dict[str, Any] = {"probation_most": 30}
BARE: dict[str, Any] = {"below_minimum": Rule.BARE.value}
"""The bare comparison leaves no worker undecided, so probation always ends at 30."""
SETTINGS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    EXACTLY_30: EXACT,
    "probation 30 to 45": {"probation_most": 45},
    "probation 30 to 120": {"probation_most": 120},
    "20 in the test": {"test_questions": 20},
    "one try at the test": {"tests": 1},
    "bare": BARE,
}


@dataclass(frozen=True, slots=True)
class Size:
    """The size of the simulation."""

    people: int = 120
    """Workers of each kind; ten times as many of the guessing kinds, because few of them pass."""
    work: int = 1000
    """Real questions that each worker wants to answer."""
    seed: int = 1

    @property
    def wanted(self) -> tuple[int, int, int]:
        """Return a small, a usual and a large number of real questions for each worker."""
        return 3 * self.work // 10, self.work, 3 * self.work


def percent(values: Iterable[bool | float]) -> float:
    """Return the mean in percent."""
    return round(100 * fmean(values), 2)


@cache
def settings_named(setting: str) -> ProtocolSettings:
    return settings_with(**SETTINGS[setting])


@cache
def careers(task: Task, kind: WorkerKind, size: Size, setting: str, fixed: float | None = None) -> tuple[Career, ...]:
    """Run the same workers under a setting, each up to the largest number of real questions."""
    many = 10 if kind in GUESSING else 1
    crowd = [Person(task, kind, number, size.seed, fixed) for number in range(many * size.people)]
    return tuple(run_career(one, settings_named(setting), work=size.wanted[-1]) for one in crowd)


def mean_real(crowd: Sequence[Career], wanted: int) -> float:
    """Return the mean number of real judgments that count, per worker who starts and wants to give `wanted`."""
    return fmean(min(one.real, wanted) for one in crowd)


def total(mix: Mix, means: dict[WorkerKind, float]) -> float:
    return sum(share * means[kind] for kind, share in mix.items())


def guessed(mix: Mix, real: dict[WorkerKind, float]) -> float:
    """Return the percentage of counting real judgments that come from guessing workers."""
    every = total(mix, real)
    by_chance = sum(mix[kind] * real[kind] for kind in mix if kind in GUESSING)
    return round(100 * by_chance / every, 2) if every else 0.0


def honest_columns(crowd: Sequence[Career], minimum: float) -> Row:
    """Describe what a setting costs honest workers, and those at least five points above the minimum."""
    good = [one for one in crowd if one.person.accuracy >= minimum + 0.05]
    return {
        "honest barred %": percent(one.is_barred for one in crowd),
        "5 points above, barred %": percent(one.is_barred for one in good) if good else 0.0,
        "known questions, honest": round(fmean(len(one.tested) + len(one.seen) for one in crowd), 1),
    }
