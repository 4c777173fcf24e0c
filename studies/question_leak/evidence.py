"""A test whether anything that a worker sees goes along with verification questions."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

PARTS, OF_PART = 19, 105
"""Shuffles are made in parts, because all of them take much memory if there are many rows."""
SHUFFLES = PARTS * OF_PART
SURE = 0.005
"""A leak is reported if chance explains what was seen in fewer than this share of cases."""
Numbers = NDArray[np.float64]
Row = dict[str, float]
"""The numbers of one thing that a worker saw, by name."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The sign that goes along best with verification questions, among all that a view looks at."""

    sign: str
    strength: float
    """The correlation of ranks within the task, 0 to 1."""
    chance: float
    """The share of random reassignments in which some sign of the view is as strong."""
    noise: float
    """The strength that the strongest sign reaches by chance in 95 % of cases."""
    rows: int

    @property
    def is_leak(self) -> bool:
        return self.chance < SURE

    def __str__(self) -> str:
        verdict = "LEAK" if self.is_leak else "no leak found"
        return (
            f"{verdict}: of {self.rows:,} rows, strongest “{self.sign}” {self.strength:.2f} "
            f"(by chance up to {self.noise:.2f}; p {self.chance:.4f})"
        )


NOTHING = Evidence("nothing varies", 0.0, 1.0, 0.0, 0)


def strongest(rows: Sequence[Row], known: Sequence[float], groups: Sequence[Hashable]) -> Evidence:
    """Compare each number of the rows with `known`, the number of verification questions, within the groups.

    The chance covers all numbers together: `known` is shuffled within each group, and the strongest correlation of each
    shuffle is what chance reaches. A row that lacks a number has 0.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    parts: dict[Hashable, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        parts[group].append(place)
    places = [np.array(part) for part in parts.values()]
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], dtype=float).reshape(
        len(rows), len(names)
    )
    table, wanted = _ranks(table, places), _ranks(np.array(known, dtype=float).reshape(-1, 1), places)
    lengths = np.sqrt((table**2).sum(axis=0))
    varies = lengths > 1e-9
    if not varies.any() or not wanted.any():
        return NOTHING
    table, names = table[:, varies] / lengths[varies], [name for name, used in zip(names, varies, strict=True) if used]
    wanted = wanted[:, 0] / np.sqrt((wanted**2).sum())
    found = np.abs(wanted @ table)
    rng = np.random.default_rng(0)
    by_chance = np.concatenate([np.abs(_shuffled(wanted, places, rng) @ table).max(axis=1) for _ in range(PARTS)])
    best = int(found.argmax())
    chance = (1 + int((by_chance >= found[best] - 1e-12).sum())) / (1 + SHUFFLES)
    return Evidence(names[best], float(found[best]), chance, float(np.quantile(by_chance, 0.95)), len(rows))


def strongest_part(parts: Sequence[Evidence]) -> Evidence:
    """Return the clearest evidence of several parts. Its chance covers that it was chosen among them."""
    best = min(parts, key=lambda one: (one.chance, -one.strength))
    return replace(best, chance=min(1.0, best.chance * len(parts)))


def _ranks(table: Numbers, places: Sequence[NDArray[np.int64]]) -> Numbers:
    """Replace each number by its mean rank within its group, less the group's mean rank."""
    ranks = np.zeros_like(table)
    for part in places:
        for column in range(table.shape[1]):
            _, inverse, counts = np.unique(table[part, column], return_inverse=True, return_counts=True)
            middle = np.cumsum(counts) - (counts - 1) / 2
            ranks[part, column] = middle[inverse] - middle[inverse].mean()
    return ranks


def _shuffled(wanted: Numbers, places: Sequence[NDArray[np.int64]], rng: np.random.Generator) -> Numbers:
    """Return some shuffles of `wanted` within each part, one in a row."""
    mixed = np.tile(wanted, (OF_PART, 1))
    for part in places:
        mixed[:, part] = rng.permuted(mixed[:, part], axis=1)
    return mixed
