"""Tables of the step `cues`: Table 5 (rows b to d), Table 6, and the weights."""

from collections.abc import Sequence

from evaluation.localization.paper import BOUND, FULL_R1
from evaluation.reading.sentences import TYPES
from evaluation.report import Cell, Report, Table
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


def add_tables(report: Report, rows: Sequence[str], *, networks: bool) -> None:
    """Add the tables of these rows. The paper's rows stand beside ours only if `networks` described the regions."""
    figures = report.figures
    lines: list[list[Cell]] = [
        [row, *(figures[f"{row}.R@{k}"] for k in KS), *(PAPER.get(row, (None,) * len(KS)) if networks else ())]
        for row in rows
    ]
    columns = ["row", *(f"R@{k}" for k in KS), *(f"paper's R@{k}" for k in KS if networks)]
    report.tables.append(Table("table_5", "Table 5: rows of our own", columns, lines))
    kinds = [kind for kind in TYPES if f"bound.{kind}" in figures]
    by_type: list[list[Cell]] = [[row, *(figures.get(f"{row}.R@1.{kind}") for kind in kinds)] for row in rows]
    by_type.append(["any region right", *(figures[f"bound.{kind}"] for kind in kinds)])
    if networks:
        by_type.append(["paper: full model", *(FULL_R1[kind] for kind in kinds)])
        by_type.append(["paper: any of 200 proposals right", *(BOUND[kind] for kind in kinds)])
    report.tables.append(Table("table_6", "Table 6: R@1 by type", ["row", *kinds], by_type))
    weights: list[list[Cell]] = [
        [kind, figures[f"weight.size.{kind}"], figures.get(f"weight.color.{kind}")] for kind in TYPES
    ]
    report.tables.append(Table("weights", "Weights by type", ["type", "size", "colour"], weights))
