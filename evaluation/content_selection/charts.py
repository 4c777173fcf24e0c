"""Charts of content selection [paper Wang 5, Fig. 3, 4 and 6]: scores against k, and combinations."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from evaluation.charts.bars import draw_bars
from evaluation.charts.lines import Line, draw_lines
from evaluation.content_selection.orders import COMBINED, SINGLE, TEXT, VISUAL
from evaluation.content_selection.tables import TITLES
from evaluation.report import Chart, Report

KS = tuple(range(1, 16))
AXIS = "boxes of a description at most, k"


def add_charts(report: Report) -> None:
    """Add figures 3, 4a, 4b and 6."""
    names = ("random", *SINGLE)
    third = [Line(TITLES[name], KS, _values(report, name, "F"), i) for i, name in enumerate(names)]
    if "upper_bound.F" in report.figures:
        third.append(Line("Upper bound", KS, [report.figures["upper_bound.F"]] * len(KS), len(names), True))
    report.charts.append(
        Chart("figure_3", "F against k (Fig. 3)", lambda figure: draw_lines(figure, third, AXIS, "F", 1.0))
    )
    for letter, words, own in (("a", "text", TEXT), ("b", "sight", VISUAL)):
        lines = [
            Line(f"{TITLES[name]}, {score}", KS, _values(report, name, score), i, score == "R")
            for i, name in enumerate(own)
            for score in ("P", "R")
        ]
        title = f"P (solid) and R (dashed) of baselines by {words} (Fig. 4{letter})"
        report.charts.append(Chart(f"figure_4{letter}", title, partial(_draw_scores, lines=lines)))
    shown = [TITLES[name] for name in (*SINGLE, *COMBINED)]
    series = {f"k = {k}": [report.figures[f"{name}.F@{k}"] for name in (*SINGLE, *COMBINED)] for k in (3, 4)}
    report.charts.append(
        Chart(
            "figure_6",
            "F of single baselines and combinations at k = 3 and 4 (Fig. 6)",
            lambda figure: draw_bars(figure, shown, series, "F"),
        )
    )


def _draw_scores(figure: Any, lines: Sequence[Line]) -> None:
    draw_lines(figure, lines, AXIS, "P, R", 1.0)


def _values(report: Report, name: str, letter: str) -> list[float]:
    return [report.figures[f"{name}.{letter}@{k}"] for k in KS]
