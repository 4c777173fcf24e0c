"""Report of the adaptive strategy [beyond paper 3.1.1]: cost, exact chains, and honest confidence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from studies.linking.calibration import Said, calibration_table
from studies.tables import with_spread

GOALS = (86.07, 90.67, 95.0)
"""Exact chains, in percent: those of the paper's greedy plus and exhaustive plus, and more."""


@dataclass(slots=True)
class Tally:
    """Counts over the images of one fold, at one stop."""

    judgments: int = 0
    exact: int = 0
    chains: list[Said] = field(default_factory=list)
    """The confidence of every chain, and whether it is a gold chain."""
    links: list[Said] = field(default_factory=list)
    """The chance of every pair that can corefer, and whether it does."""


class Point(NamedTuple):
    """The cost and the accuracy of a strategy, in percent as in table 2."""

    cost: float
    chains: float
    """Chains that are exactly right."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The results of one fold; points and tallies by stop."""

    greedy_plus: Point
    points: dict[float, Point]
    tallies: dict[float, Tally]


def cost_of(points: Iterable[Point], chains: float) -> float | None:
    """Return the least cost for this percentage of exact chains, interpolated between points; None if not reached."""
    before: Point | None = None
    for point in sorted(points):
        if point.chains >= chains:
            if before is None or point.chains == before.chains:
                return point.cost
            rise = point.chains - before.chains
            return before.cost + (point.cost - before.cost) * (chains - before.chains) / rise
        before = point
    return None


def table(folds: Sequence[Fold]) -> str:
    """Format the means over the folds, and the standard deviation between folds."""
    lines = [f"{'':<22}{'cost %':>16}{'exact chains %':>18}"]
    lines.append(_line("greedy plus", [fold.greedy_plus for fold in folds]))
    for stop in folds[0].points:
        lines.append(_line(f"adaptive, stop {stop:g}", [fold.points[stop] for fold in folds]))
    for goal in GOALS:
        lines.append(_cost_line(f"{goal:g} % of chains", folds, [goal] * len(folds)))
    lines.append(_cost_line("greedy plus's chains", folds, [fold.greedy_plus.chains for fold in folds]))
    return "\n".join(lines)


def _cost_line(name: str, folds: Sequence[Fold], goals: Sequence[float]) -> str:
    costs = [cost_of(fold.points.values(), goal) for fold, goal in zip(folds, goals, strict=True)]
    reached = [one for one in costs if one is not None]
    if not reached:
        return f"{name}: not reached"
    of_means = cost_of(_means(folds), fmean(goals))
    said = "not reached" if of_means is None else f"{of_means:.1f}"
    return f"{name}: cost {with_spread(reached)}, in {len(reached)} of {len(folds)} folds; by their means {said}"


def _means(folds: Sequence[Fold]) -> Iterator[Point]:
    """Yield the mean of the folds at each stop: a cost by these leaves out no fold that misses the goal."""
    for stop in folds[0].points:
        own = [fold.points[stop] for fold in folds]
        yield Point(fmean(one.cost for one in own), fmean(one.chains for one in own))


def reliability_table(folds: Sequence[Fold], stop: float) -> str:
    """Compare the confidence of all chains with gold, in tenths."""
    return calibration_table([case for fold in folds for case in fold.tallies[stop].chains])


def _line(name: str, points: Sequence[Point]) -> str:
    costs, chains = [one.cost for one in points], [one.chains for one in points]
    return f"{name:<22}{with_spread(costs):>16}{with_spread(chains):>18}"
