"""Signal [paper 3.3]: one hint with its evidence, and which hints of a project are shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

FALSE_SHARE = 0.01
"""Of what is shown of one kind in a project. With four kinds, at most 4 in 100 projects of honest workers show any."""


class SignalKind(StrEnum):
    FAR_TOO_FAST = "far too fast"
    ONE_BUTTON = "always the same button"
    COPIED_BOXES = "boxes copied"
    TWO_ACCOUNTS = "two accounts as one"


@dataclass(frozen=True, slots=True)
class Signal:
    """`chance`: an upper bound for how often honest workers would look like this, 0 to 1; smaller is stronger."""

    kind: SignalKind
    workers: tuple[int, ...]
    chance: float
    evidence: str
    judgments: tuple[int, ...]


def confirmed(signals: Iterable[Signal | None], *, tests: int, false_share: float = FALSE_SHARE) -> list[Signal]:
    """The signals to show, strongest first, by Benjamini and Hochberg (1995): of one kind, all of one project.

    `tests`: how many workers (or pairs) were looked at, not only those with a signal: a worker without one counts
    as chance 1. Among what is shown, the expected share of false alarms is at most `false_share`; where everybody
    is honest, that is the probability of any. Signals that share workers depend on each other, as two pairs with
    one worker in common do; the bound is proved for independent ones and is measured in `docs/signals.md`.
    """
    found = sorted((signal for signal in signals if signal), key=lambda signal: (signal.chance, signal.workers))
    if len(found) > tests:
        raise ValueError(f"{len(found)} signals from {tests} tests: give the number of all that were looked at.")
    passing = [rank for rank, signal in enumerate(found, 1) if signal.chance <= false_share * rank / tests]
    return found[: max(passing, default=0)]
