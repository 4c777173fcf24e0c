"""Tables and charts of content selection [paper Wang 5, Table 1, Fig. 3, 4 and 6], beside the paper's values."""

from collections.abc import Sequence

from evaluation.charts import Line, add_bars, add_lines
from evaluation.content_selection.orders import COMBINED, NAMES, SINGLE, TEXT, VISUAL, Fold
from evaluation.report import Cell, Report

KS = tuple(range(1, 16))
LETTERS = ("P", "R", "F")
UPPER_BOUND = {"P": 0.77, "R": 0.77, "F": 0.74, "P.sd": 0.11, "R.sd": 0.11, "F.sd": 0.12}
BOXES_PER_DESCRIPTION = 2.89
"""Mean number of distinct boxes of a description, in the paper's development set."""
TABLE_1 = {
    "random": (
        (0.19, 0.21, 0.20, 0.21, 0.20, 0.21, 0.21, 0.21, 0.21, 0.21),
        (0.06, 0.12, 0.18, 0.26, 0.29, 0.36, 0.43, 0.48, 0.50, 0.56),
        (0.08, 0.15, 0.18, 0.22, 0.23, 0.25, 0.27, 0.28, 0.28, 0.29),
    ),
    "position": (
        (0.48, 0.44, 0.39, 0.36, 0.33, 0.31, 0.30, 0.28, 0.27, 0.26),
        (0.18, 0.31, 0.40, 0.48, 0.54, 0.59, 0.63, 0.67, 0.71, 0.74),
        (0.25, 0.35, 0.38, 0.40, 0.40, 0.40, 0.39, 0.39, 0.38, 0.37),
    ),
    "size": (
        (0.56, 0.57, 0.53, 0.50, 0.46, 0.43, 0.39, 0.37, 0.34, 0.32),
        (0.21, 0.41, 0.55, 0.66, 0.73, 0.78, 0.82, 0.85, 0.87, 0.89),
        (0.30, 0.46, 0.53, 0.55, 0.55, 0.53, 0.51, 0.50, 0.48, 0.46),
    ),
    "unigram": (
        (0.69, 0.57, 0.48, 0.43, 0.40, 0.37, 0.35, 0.33, 0.31, 0.30),
        (0.24, 0.36, 0.45, 0.53, 0.59, 0.65, 0.70, 0.74, 0.78, 0.82),
        (0.34, 0.43, 0.45, 0.46, 0.45, 0.45, 0.44, 0.44, 0.43, 0.42),
    ),
    "bigram": (
        (0.85, 0.65, 0.55, 0.50, 0.47, 0.46, 0.45, 0.44, 0.44, 0.44),
        (0.31, 0.43, 0.50, 0.54, 0.57, 0.59, 0.59, 0.60, 0.60, 0.61),
        (0.44, 0.50, 0.50, 0.50, 0.49, 0.49, 0.48, 0.48, 0.48, 0.48),
    ),
}
"""P, R and F of each baseline, each for k = 1 to 10."""


TITLES = {
    "random": "Random",
    "position": "Box position",
    "size": "Box size",
    "unigram": "Unigram",
    "bigram": "Bigram",
    "unigram+position": "Unigram and position",
    "unigram+size": "Unigram and size",
    "bigram+position": "Bigram and position",
    "bigram+size": "Bigram and size",
}
PEOPLE = "People against each other"
"""The paper's upper bound: each description against the others of its image. Nothing keeps an order below it."""
COLUMNS = ("baseline", "k", "P", "P ±", "R", "R ±", "F", "F ±")
AXIS = "boxes of a description at most, k"


def add_tables(report: Report, folds: Sequence[Fold]) -> None:
    """Add Table 1 for k = 1 to 10 beside the paper's values, the combinations at k = 3 and 4, all scores, the split."""
    first: list[list[Cell]] = []
    if "upper_bound.P" in report.figures:
        bound = [report.figures[f"upper_bound.{name}"] for letter in LETTERS for name in (letter, f"{letter}.sd")]
        first.append([PEOPLE, None, *bound, 0.77, 0.77, 0.74])
    for name in ("random", *SINGLE):
        first += [[*_row(report, name, k), *(score[k - 1] for score in TABLE_1[name])] for k in range(1, 11)]
    columns = (*COLUMNS, "paper P", "paper R", "paper F")
    report.table("table_1", "Scores for k = 1 to 10 (Table 1, errata)", columns, first)
    second = [_row(report, name, k) for k in (3, 4) for name in (*SINGLE, *COMBINED)]
    report.table("table_2", "Single baselines and combinations at k = 3 and 4 (Fig. 6)", COLUMNS, second)
    every = [_row(report, name, k) for name in ("random", *NAMES) for k in KS]
    report.table("scores", "All scores", COLUMNS, every, on_page=False)
    split = [[scene.image, fold.name, "scored"] for fold in folds for scene in fold.scored]
    split += [[image, fold.name, "fitted"] for fold in folds for image in fold.fitted]
    report.table("splits", "Images scored and images fitted on", ["image", "part", "use"], split, on_page=False)


def _row(report: Report, name: str, k: int) -> list[Cell]:
    values = [report.figures[f"{name}.{letter}@{k}{end}"] for letter in LETTERS for end in ("", ".sd")]
    return [TITLES[name], k, *values]


def add_charts(report: Report) -> None:
    """Add figures 3, 4a, 4b and 6."""
    names = ("random", *SINGLE)
    third = [Line(TITLES[name], KS, _values(report, name, "F"), i) for i, name in enumerate(names)]
    if "upper_bound.F" in report.figures:
        third.append(Line(PEOPLE, KS, [report.figures["upper_bound.F"]] * len(KS), len(names), True))
    title = f"F against k (Fig. 3). {PEOPLE} is no bound: an order may lie above the line"
    add_lines(report, "figure_3", title, third, AXIS, "F", 1.0)
    for letter, words, own in (("a", "text", TEXT), ("b", "sight", VISUAL)):
        lines = [
            Line(f"{TITLES[name]}, {score}", KS, _values(report, name, score), i, score == "R")
            for i, name in enumerate(own)
            for score in ("P", "R")
        ]
        title = f"P (solid) and R (dashed) of baselines by {words} (Fig. 4{letter})"
        add_lines(report, f"figure_4{letter}", title, lines, AXIS, "P, R", 1.0)
    shown = [TITLES[name] for name in (*SINGLE, *COMBINED)]
    series = {f"k = {k}": [report.figures[f"{name}.F@{k}"] for name in (*SINGLE, *COMBINED)] for k in (3, 4)}
    title = "F of single baselines and combinations at k = 3 and 4 (Fig. 6)"
    add_bars(report, "figure_6", title, shown, series, "F")


def _values(report: Report, name: str, letter: str) -> list[float]:
    return [report.figures[f"{name}.{letter}@{k}"] for k in KS]
