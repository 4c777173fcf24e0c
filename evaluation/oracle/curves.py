"""Curves [paper Yao 5.3, Table 2]: a score by the number of atoms, and how many atoms a system's scores are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.oracle.corpus import NONE, SHORT, Point, read_points
from evaluation.reading.json_lines import json_file, member, number
from evaluation.report import Cell, Report
from evaluation.scoring.caption_scores import METRICS
from evaluation.work import StepWork


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


def run_worth(work: StepWork) -> Report:
    """Read a system's scores off the curves."""
    result = work.required("result")
    curves, scores = _curves(work.required("curves")), _figures(result)
    metrics = [name for name in METRICS if name in scores and name in curves.metrics]
    if not metrics:
        raise InputError(
            f"{result.name} has no figure that the curves have, such as CIDEr: give a report of oracle score."
        )
    report = Report("Oracle captioning: scores in atoms", len(metrics), "metrics")
    rows: list[list[Cell]] = []
    for metric in metrics:
        row: list[Cell] = [metric, scores[metric]]
        for group in curves.groups():
            curve = curves.curve(metric, group)
            found = equivalent(scores[metric], curve)
            if found is not None:
                report.figures[f"{metric}.{group}"] = found
            row.append(_words(found, curve))
        rows.append(row)
        report.figures[metric] = scores[metric]
    columns = ("metric", "score", *curves.groups())
    report.table("table_2", "Atoms of each category that the scores are worth (Table 2)", columns, rows)
    report.notes += [
        "Read off the curve through the highest score up to each number of atoms, linearly between its points. “more "
        "than” and “at most” are beyond the ends of the curve; figures have no value for “more than”.",
        "Both files must come from the same test images, or at least from the same data set.",
    ]
    return report


def _words(found: float | None, curve: list[tuple[int, float]]) -> Cell:
    if not curve:
        return "no curve"
    if found is None:
        return f"more than {curve[-1][0]:,}"
    return f"at most {curve[0][0]:,}" if found == curve[0][0] else found


def _curves(path: Path) -> Curves:
    figures = _figures(path)
    names = dict.fromkeys(name.partition(".")[2] for name in figures if "." in name and "@" not in name)
    try:
        points = read_points(",".join(names))
    except InputError as error:
        raise InputError(f"{path.name} holds no curves: give a report.json of oracle curves. {error}") from error
    if all(point.group == NONE for point in points):
        raise InputError(f"{path.name} holds no curves: its only point is {NONE}.")
    return Curves({name: value for name, value in figures.items() if "@" not in name}, points)


def _figures(path: Path) -> dict[str, float]:
    found: Any = member(json_file(path), "figures", path.name)
    if not isinstance(found, dict):
        raise InputError(f"{path.name}: the field 'figures' is not an object.")
    return {name: number(value, f"{path.name}: the figure {name}") for name, value in found.items()}
