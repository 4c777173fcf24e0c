"""Curves [paper Yao 5.3, Table 2]: a score by the number of atoms, and the number of atoms that a score is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from evaluation.oracle.known_atoms import NONE, SHORT, Point


@dataclass(frozen=True, slots=True)
class Curves:
    """The figures of a run: `METRIC.POINT`."""

    figures: Mapping[str, float]
    points: Sequence[Point]

    @property
    def accuracies(self) -> list[float]:
        """Return the accuracies, the highest first."""
        return sorted({point.accuracy for point in self.points}, reverse=True)

    @property
    def metrics(self) -> list[str]:
        """Return the metrics in the order of the figures."""
        return list(dict.fromkeys(name.partition(".")[0] for name in self.figures))

    def curve(self, metric: str, group: str, accuracy: float = 1.0) -> list[tuple[int, float]]:
        """Return k and score of the group's points, by k. No atoms at all is k = 0 of every group.

        Empty if the group has no point.
        """
        own = [point for point in self.points if point.group == group and point.accuracy == accuracy]
        if own and Point(NONE) in self.points:
            own.append(Point(NONE))
        found = [(point.k, self.figures.get(f"{metric}.{point.name}")) for point in sorted(own, key=lambda one: one.k)]
        return [(k, score) for k, score in found if score is not None]

    def groups(self) -> list[str]:
        """Return the groups that have points."""
        return [group for group in SHORT if any(point.group == group for point in self.points)]


def envelope(scores: Sequence[float]) -> list[float]:
    """Return the least curve over the scores that never falls."""
    return list(accumulate(scores, max))


def equivalent(score: float, curve: Sequence[tuple[int, float]]) -> float | None:
    """Return the number of atoms at which the curve's envelope first reaches the score, between its points linearly.

    A score below the first point is worth the first k; one that the curve never reaches: None.
    """
    ks = [k for k, _ in curve]
    scores = envelope([value for _, value in curve])
    if not curve or score > scores[-1]:
        return None
    if score <= scores[0]:
        return float(ks[0])
    for (k, low), (next_k, high) in pairwise(zip(ks, scores, strict=True)):
        if low < score <= high:
            return k + (next_k - k) * (score - low) / (high - low)
    raise AssertionError("a score between the ends of a curve is in none of its parts")
