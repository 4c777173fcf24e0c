"""Tables and charts of the step `cues` [paper 4.1.3, Tables 5 and 6, Figures 7 and 8]."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.charts import Line, add_bars, add_lines, add_matrix
from evaluation.localization.cues.colors import COLORS
from evaluation.localization.cues.scorer import QueryCues, Scorer, Sources, color_scores, colored, row_distances
from evaluation.localization.cues.weights import GRID, Weights
from evaluation.localization.embedding.task import EmbeddingData
from evaluation.localization.paper import BOUND, FULL_R1
from evaluation.reading.picture import TYPES
from evaluation.report import Cell, Report
from evaluation.scoring.recall import KS

PAPER = {
    "cca": (41.77, 64.52, 70.77),
    "cca_or_detector": (42.58, 65.26, 71.28),
    "cca+detector": (43.84, 65.83, 71.75),
    "cca+detector+size": (49.22, 69.93, 74.90),
    "cca+detector+color": (45.79, 67.23, 72.86),
    "cca+detector+size+color": (50.89, 71.09, 75.73),
}
"""R@1, R@5 and R@10 of Table 5, with features of Fast R-CNN and 200 edge boxes."""
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
LEAST = 20
"""Phrases that a detector's class needs for Figure 7, as in the paper."""


def add_tables(report: Report, rows: Sequence[str], *, networks: bool) -> None:
    """Add the tables of these rows. The paper's rows stand beside ours only if `networks` described the regions."""
    figures = report.figures
    lines: list[list[Cell]] = [
        [row, *(figures[f"{row}.R@{k}"] for k in KS), *(PAPER.get(row, (None,) * len(KS)) if networks else ())]
        for row in rows
    ]
    columns = ["row", *(f"R@{k}" for k in KS), *(f"paper's R@{k}" for k in KS if networks)]
    report.table("table_5", "Table 5: rows of our own", columns, lines)
    kinds = [kind for kind in TYPES if f"bound.{kind}" in figures]
    by_type: list[list[Cell]] = [[row, *(figures.get(f"{row}.R@1.{kind}") for kind in kinds)] for row in rows]
    by_type.append(["any region right", *(figures[f"bound.{kind}"] for kind in kinds)])
    if networks:
        by_type.append(["paper: full model", *(FULL_R1[kind] for kind in kinds)])
        by_type.append(["paper: any of 200 proposals right", *(BOUND[kind] for kind in kinds)])
    report.table("table_6", "Table 6: R@1 by type", ["row", *kinds], by_type)
    weights: list[list[Cell]] = [
        [kind, figures[f"weight.size.{kind}"], figures.get(f"weight.color.{kind}")] for kind in TYPES
    ]
    report.table("weights", "Weights by type", ["type", "size", "colour"], weights)


def add_charts(
    report: Report,
    task: EmbeddingData,
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
    title = "R@1 by the weight of size, on the images fitted on"
    add_lines(report, "size_weight", title, [line], "weight of size, the same for all types", "R@1, %")
    _by_count(report, found, weights)
    if "cca+detector" in ranks:
        _detectors(report, found, ranks)
    if scorer.colors is not None:
        _colors(report, task, scorer, sources)


def _by_count(report: Report, found: Sequence[QueryCues], weights: Weights) -> None:
    """Add R@1 of the embedding and of the full row among the first regions alone."""
    longest = max(len(each.right) for each in found)
    counts = [count for count in COUNTS if count < longest] + [longest]
    hits = np.zeros((len(counts), 2))
    for each in found:
        rows = row_distances(each, *weights.of(each.query.types))
        for place, count in enumerate(counts):
            for column, row in enumerate(("cca", "cca+detector+size+color")):
                first = rows[row][:count]
                hits[place, column] += bool(len(first)) and bool(each.right[int(np.argmin(first))])
    shares, names = (100 * hits / len(found)).tolist(), ("embedding", "with all cues")
    title = "R@1 by the number of regions"
    lengths = [[count, *share] for count, share in zip(counts, shares, strict=True)]
    report.table("by_count", title, ["regions", *names], lengths)
    lines = [Line(name, counts, [share[i] for share in shares], i + 1) for i, name in enumerate(names)]
    add_lines(report, "by_count", title, lines, "regions of an image, the first ones", "R@1, %")


def _detectors(report: Report, found: Sequence[QueryCues], ranks: Mapping[str, np.ndarray]) -> None:
    """Add Figure 7: the embedding with and without its detector, by class."""
    kinds = [each.detector_class for each in found]
    counts = {kind: kinds.count(kind) for kind in sorted({kind for kind in kinds if kind})}
    rows: list[list[Any]] = []
    for kind, count in counts.items():
        own = [place for place, one in enumerate(kinds) if one == kind]
        rows.append([kind, count, *(float(100 * np.mean(ranks[row][own] == 1)) for row in ("cca", "cca+detector"))])
    report.table("figure_7", "R@1 by the detector's class", ["class", "phrases", "CCA", "CCA+Detector"], rows)
    shown: Any = [row for row in rows if counts[str(row[0])] >= LEAST]
    if shown:
        series = {name: [row[place] for row in shown] for place, name in ((2, "CCA"), (3, "CCA+Detector"))}
        names = [row[0] for row in shown]
        title = f"Figure 7: R@1 by class with at least {LEAST} phrases"
        add_bars(report, "figure_7", title, names, series, "R@1, %")


def _colors(report: Report, task: EmbeddingData, scorer: Scorer, sources: Sources) -> None:
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
    report.table("figure_8", "Figure 8: colours of gold boxes", ["named, told", *COLORS], rows)
    title = "Figure 8: colours told of gold boxes, by the colour that the phrase names"
    add_matrix(report, "figure_8", title, counts, COLORS, "named", "told", (6.4, 5.6))


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
