"""Signal [paper 3.3]: a hint of bad work with its evidence, and which signals of a project are shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

FALSE_SHARE = 0.01
"""The share of false alarms among the shown signals of one kind. With four kinds, at most 4 of 100 honest projects
show any signal."""


class SignalKind(StrEnum):
    """The kind of bad work that a signal hints at."""

    FAR_TOO_FAST = "far too fast"
    ONE_BUTTON = "always the same button"
    COPIED_BOXES = "boxes copied"
    TWO_ACCOUNTS = "two accounts as one"


@dataclass(frozen=True, slots=True)
class Signal:
    """A hint of bad work.

    `chance`: an upper bound, 0 to 1, for how often honest workers look like this; smaller is stronger. `judgments`: the
    ids of those that show it.
    """

    kind: SignalKind
    workers: tuple[int, ...]
    chance: float
    evidence: str
    judgments: tuple[int, ...]


def confirmed(signals: Iterable[Signal | None], *, tests: int, false_share: float = FALSE_SHARE) -> list[Signal]:
    """Return the signals to show, strongest first, by Benjamini and Hochberg (1995).

    `signals`: those of one kind in one project. `tests`: all workers (or pairs) that were looked at; one without a
    signal counts as chance 1. Among shown signals the expected share of false alarms is at most `false_share`; if all
    workers are honest, that is the chance of any signal. The bound is proved for independent signals; for pairs with a
    common worker it is measured in `docs/why/results.md`. Raises ValueError for more signals than tests.
    """
    found = sorted((signal for signal in signals if signal), key=lambda signal: (signal.chance, signal.workers))
    if len(found) > tests:
        raise ValueError(f"{len(found)} signals from {tests} tests: count all workers or pairs that were looked at.")
    passing = [rank for rank, signal in enumerate(found, 1) if signal.chance <= false_share * rank / tests]
    return found[: max(passing, default=0)]
