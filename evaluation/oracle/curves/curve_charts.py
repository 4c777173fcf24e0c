"""Charts of curves [paper Yao 5.3, Fig. 2 and 3]: scores against atoms, by metric, by category, by accuracy."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from evaluation.charts.lines import Line, draw_lines
from evaluation.oracle.curves.curve import Curves
from evaluation.report import Chart, Report

AXIS = "atoms of a category"
GROUPS = {"ENT": "entities", "ACT": "actions", "ATT": "attributes", "ALL": "all categories"}
FIRST_ROW = ("BLEU-1", "BLEU-4", "METEOR")


def add_charts(report: Report, curves: Curves) -> None:
    """Add both rows of Figure 2, the perplexity, and Figure 3 if there are points of lower accuracy."""
    several = [
        _line(metric, curves.curve(metric, "ALL"), number)
        for number, metric in enumerate(FIRST_ROW)
        if metric in curves.metrics
    ]
    _add(report, "figure_2_metrics", "BLEU and METEOR by atoms (Fig. 2, first row)", several, "score")
    for metric, name, words in (
        ("CIDEr", "figure_2_categories", "CIDEr by category of the atoms (Fig. 2, second row)"),
        ("perplexity", "perplexity", "Validation perplexity by category of the atoms"),
    ):
        lines = [
            _line(GROUPS[group], curves.curve(metric, group), number) for number, group in enumerate(curves.groups())
        ]
        _add(report, name, words, lines, metric)
    if len(curves.accuracies) > 1:
        noisy = [
            _line(f"{group}, r = {accuracy:g}", curves.curve("CIDEr", group, accuracy), number)
            for group in curves.groups()
            for number, accuracy in enumerate(curves.accuracies)
            if any(point.group == group and point.accuracy < 1 for point in curves.points)
        ]
        _add(report, "figure_3", "CIDEr by accuracy r of the atoms (Fig. 3)", noisy, "CIDEr")


def _line(name: str, curve: Sequence[tuple[int, float]], number: int) -> Line:
    return Line(name, [k for k, _ in curve], [score for _, score in curve], number)


def _add(report: Report, name: str, title: str, lines: Sequence[Line], axis: str) -> None:
    shown = [line for line in lines if len(line.x)]
    if shown:
        report.charts.append(Chart(name, title, partial(_draw, lines=shown, axis=axis)))


def _draw(figure: Any, lines: Sequence[Line], axis: str) -> None:
    draw_lines(figure, lines, AXIS, axis)
