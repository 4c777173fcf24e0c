"""Tables of content selection [paper Wang 5, Table 1; Wang 5.1, Fig. 6]: scores, combinations, the split."""

from collections.abc import Sequence

from evaluation.content_selection.fitting import Fold
from evaluation.content_selection.orders import COMBINED, NAMES, SINGLE
from evaluation.content_selection.paper import TABLE_1
from evaluation.report import Cell, Report, Table

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
LETTERS = ("P", "R", "F")
COLUMNS = ("baseline", "k", "P", "P ±", "R", "R ±", "F", "F ±")


def add_tables(report: Report, folds: Sequence[Fold]) -> None:
    """Add Table 1 for k = 1 to 10 beside the paper's values, the combinations at k = 3 and 4, all scores, the split."""
    first: list[list[Cell]] = []
    if "upper_bound.P" in report.figures:
        bound = [report.figures[f"upper_bound.{name}"] for letter in LETTERS for name in (letter, f"{letter}.sd")]
        first.append(["Upper bound", None, *bound, 0.77, 0.77, 0.74])
    for name in ("random", *SINGLE):
        first += [[*_row(report, name, k), *TABLE_1[name][k - 1]] for k in range(1, 11)]
    columns = (*COLUMNS, "paper P", "paper R", "paper F")
    report.tables.append(Table("table_1", "Scores for k = 1 to 10 (Table 1, errata)", columns, first))
    second = [_row(report, name, k) for k in (3, 4) for name in (*SINGLE, *COMBINED)]
    report.tables.append(Table("table_2", "Single baselines and combinations at k = 3 and 4 (Fig. 6)", COLUMNS, second))
    every = [_row(report, name, k) for name in ("random", *NAMES) for k in range(1, 16)]
    report.tables.append(Table("scores", "All scores", COLUMNS, every, on_page=False))
    split = [[scene.image, fold.name, "scored"] for fold in folds for scene in fold.scored]
    split += [[image, fold.name, "fitted"] for fold in folds for image in fold.fitted]
    report.tables.append(Table("splits", "Images scored and images fitted on", ["image", "part", "use"], split, False))


def _row(report: Report, name: str, k: int) -> list[Cell]:
    values = [report.figures[f"{name}.{letter}@{k}{end}"] for letter in LETTERS for end in ("", ".sd")]
    return [TITLES[name], k, *values]
