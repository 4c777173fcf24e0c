"""Tables and charts of the baselines [paper 4.1.3, Tables 5 and 6]."""

import numpy as np

from evaluation.charts.bars import draw_bars
from evaluation.charts.lines import Line, draw_lines
from evaluation.reading.sentences import TYPES
from evaluation.report import Cell, Chart, Report, Table
from evaluation.scoring.recall import KS, recall_at

ROWS = {"extent": "one box around all", "largest": "the largest box", "by_size": "all boxes by size"}
CURVE = tuple(range(1, 16))


def add_tables(report: Report, by_type: dict[str, np.ndarray]) -> None:
    """Add the tables of recall, overall and by type."""
    rows: list[list[Cell]] = [[words, *(report.figures[f"{kind}.R@{k}"] for k in KS)] for kind, words in ROWS.items()]
    columns = ["boxes", *(f"R@{k}" for k in KS)]
    report.tables.append(Table("table_5", "Recall of all phrases, % (form of Table 5)", columns, rows))
    types = [kind for kind in TYPES if len(by_type[kind])]
    counts: list[Cell] = [len(by_type[kind]) for kind in types]
    per_type: list[list[Cell]] = [["phrases", *counts]]
    per_type += [
        [f"R@1, {words}", *(report.figures[f"{kind}.R@1.{one}"] for one in types)] for kind, words in ROWS.items()
    ]
    report.tables.append(Table("table_6", "R@1 by type, % (form of Table 6)", ["row", *types], per_type))


def add_charts(report: Report, by_size: np.ndarray, by_type: dict[str, np.ndarray]) -> None:
    """Add R@1 by type, and recall by the number of boxes looked at. `by_size`: ranks among all boxes by size."""
    types = [kind for kind in TYPES if len(by_type[kind])]
    series = {ROWS[kind]: [report.figures[f"{kind}.R@1.{one}"] for one in types] for kind in ("extent", "largest")}
    report.charts.append(
        Chart("recall_by_type", "R@1 by type", lambda figure: draw_bars(figure, types, series, "R@1, %"))
    )
    curve = [recall_at(by_size, k) for k in CURVE]
    report.charts.append(
        Chart(
            "recall_by_k",
            "Recall of all gold boxes by size",
            lambda figure: draw_lines(
                figure, [Line(ROWS["by_size"], CURVE, curve, 0)], "boxes looked at", "share of phrases found, %", 100
            ),
        )
    )
    points = list(zip(CURVE, curve, strict=True))
    report.tables.append(Table("recall_by_k", "Recall by number of boxes", ["k", "R@k"], points, on_page=False))
