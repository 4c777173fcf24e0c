"""Charts of the step `cues`: Figures 7 and 8, R@1 by the number of regions, and by the weight of size."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.charts.bars import draw_bars
from evaluation.charts.lines import Line, draw_lines
from evaluation.charts.matrix import draw_matrix
from evaluation.localization.cues.color_of_phrase import COLORS
from evaluation.localization.cues.fit_weights import GRID
from evaluation.localization.cues.query_cues import QueryCues, row_distances
from evaluation.localization.cues.scorer import Scorer, Sources, color_scores, colored
from evaluation.localization.cues.weights_of_types import Weights
from evaluation.localization.embedding.task import Task
from evaluation.report import Chart, Report, Table

COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
LEAST = 20
"""Phrases that a detector's class needs for Figure 7, as in the paper."""


def add_charts(
    report: Report,
    task: Task,
    scorer: Scorer,
    sources: Sources,
    *,
    found: Sequence[QueryCues],
    learned: Sequence[QueryCues],
    weights: Weights,
    ranks: Mapping[str, np.ndarray],
) -> None:
    """Add every chart whose cues are there."""
    curve = [100 * np.mean([each.candidates.first_is_right(weight, 0) for each in learned]) for weight in GRID]
    line = Line("R@1", GRID, [float(value) for value in curve], 0)
    report.charts.append(
        Chart(
            "size_weight",
            "R@1 by the weight of size, on the images fitted on",
            lambda figure: draw_lines(figure, [line], "weight of size, the same for all types", "R@1, %"),
        )
    )
    report.tables.append(_by_count(found, weights))
    _draw_counts(report)
    if "cca+detector" in ranks:
        _detectors(report, found, ranks)
    if scorer.colors is not None:
        _colors(report, task, scorer, sources)


def _by_count(found: Sequence[QueryCues], weights: Weights) -> Table:
    """Return R@1 of the embedding and of the full row among the first regions alone."""
    longest = max(len(each.right) for each in found)
    counts = [count for count in COUNTS if count < longest] + [longest]
    hits = np.zeros((len(counts), 2))
    for each in found:
        rows = row_distances(each, *weights.of(each.query.types))
        for place, count in enumerate(counts):
            for column, row in enumerate(("cca", "cca+detector+size+color")):
                first = rows[row][:count]
                hits[place, column] += bool(len(first)) and bool(each.right[int(np.argmin(first))])
    lines: list[list[Any]] = [
        [count, *map(float, 100 * hit / len(found))] for count, hit in zip(counts, hits, strict=True)
    ]
    return Table("by_count", "R@1 by the number of regions", ["regions", "embedding", "with all cues"], lines)


def _draw_counts(report: Report) -> None:
    rows: Any = report.tables[-1].rows
    lines = [
        Line(name, [row[0] for row in rows], [row[column] for row in rows], column)
        for column, name in ((1, "embedding"), (2, "with all cues"))
    ]
    report.charts.append(
        Chart(
            "by_count",
            "R@1 by the number of regions",
            lambda figure: draw_lines(figure, lines, "regions of an image, the first ones", "R@1, %"),
        )
    )


def _detectors(report: Report, found: Sequence[QueryCues], ranks: Mapping[str, np.ndarray]) -> None:
    """Add Figure 7: the embedding with and without its detector, by class."""
    kinds = [each.detector_class for each in found]
    counts = {kind: kinds.count(kind) for kind in sorted({kind for kind in kinds if kind})}
    rows: list[list[Any]] = []
    for kind, count in counts.items():
        own = [place for place, one in enumerate(kinds) if one == kind]
        rows.append([kind, count, *(float(100 * np.mean(ranks[row][own] == 1)) for row in ("cca", "cca+detector"))])
    report.tables.append(
        Table("figure_7", "R@1 by the detector's class", ["class", "phrases", "CCA", "CCA+Detector"], rows)
    )
    shown: Any = [row for row in rows if counts[str(row[0])] >= LEAST]
    if shown:
        series = {name: [row[place] for row in shown] for place, name in ((2, "CCA"), (3, "CCA+Detector"))}
        names = [row[0] for row in shown]
        report.charts.append(
            Chart(
                "figure_7",
                f"Figure 7: R@1 by class with at least {LEAST} phrases",
                lambda figure: draw_bars(figure, names, series, "R@1, %"),
            )
        )


def _colors(report: Report, task: Task, scorer: Scorer, sources: Sources) -> None:
    """Add Figure 8: the colour told of each gold box to score whose phrase names one."""
    counts = np.zeros((len(COLORS), len(COLORS)), dtype=int)
    for query, color in colored(task.queries(task.test)):
        told = _best_colour(scorer, query, sources)
        if told is not None:
            counts[COLORS.index(color), COLORS.index(told)] += 1
    if not counts.sum():
        return
    report.put({"color.accuracy": float(100 * np.trace(counts) / counts.sum()), "color.phrases": int(counts.sum())})
    rows: list[list[Any]] = [[color, *map(int, line)] for color, line in zip(COLORS, counts, strict=True)]
    report.tables.append(Table("figure_8", "Figure 8: colours of gold boxes", ["named, told", *COLORS], rows))
    report.charts.append(
        Chart(
            "figure_8",
            "Figure 8: colours told of gold boxes, by the colour that the phrase names",
            lambda figure: draw_matrix(figure, counts, COLORS, "named", "told"),
            (6.4, 5.6),
        )
    )


def _best_colour(scorer: Scorer, query: Any, sources: Sources) -> str | None:
    """Return the colour with the highest score for the gold box, None if a file lacks that box."""
    gold = np.array([query.gold])
    if sources.colors is not None and not sources.colors.has(query.image, gold):
        return None
    best: tuple[float, str] | None = None
    for color in COLORS:
        scores = color_scores(scorer.colors, query, gold, sources.photographs, color)
        if scores is not None and (best is None or scores[0] > best[0]):
            best = float(scores[0]), color
    return best[1] if best else None
