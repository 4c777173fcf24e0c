"""Charts and tables of errors [paper 4.1.4, Fig. 9]: shares of the classes, and the matrix of confused types."""

from collections.abc import Sequence

from evaluation.charts.bars import draw_bars
from evaluation.charts.matrix import draw_matrix
from evaluation.localization.confusion import CLASSES, Judged, class_shares, confusion_matrix
from evaluation.reading.sentences import TYPES
from evaluation.report import Cell, Chart, Report, Table

WORDS = {
    "correct": "correct",
    "no proposal": "no proposal had it",
    "confused": "confused with another phrase",
    "partial": "partly right",
    "elsewhere": "elsewhere",
}


def add_errors(report: Report, judged: Sequence[tuple[tuple[str, ...], Judged]], prefix: str = "") -> None:
    """Add the shares of the classes as figures, and figures 9a and 9b with their tables."""
    shares = class_shares([one for _, one in judged])
    report.put({f"errors.{kind.replace(' ', '_')}": share for kind, share in shares.items()}, prefix)
    kinds = [kind for kind in CLASSES if shares[kind]]
    values = [shares[kind] for kind in kinds]
    names = [WORDS[kind] for kind in kinds]
    report.tables.append(
        Table("figure_9a", "First boxes by class (Fig. 9a)", ["class", "%"], list(zip(names, values, strict=True)))
    )
    report.charts.append(
        Chart(
            "figure_9a",
            "First boxes by class (Fig. 9a)",
            lambda figure: draw_bars(figure, names, {"share": values}, "share of phrases, %"),
            (7.0, 2.6),
        )
    )
    counts = confusion_matrix(judged)
    rows: list[list[Cell]] = [[kind, *(int(one) for one in counts[i])] for i, kind in enumerate(TYPES)]
    report.tables.append(
        Table(
            "figure_9b",
            "Confused phrases: type of the phrase (row), of the box that was hit (column)",
            ["type", *TYPES],
            rows,
        )
    )
    report.charts.append(
        Chart(
            "figure_9b",
            "Confused phrases by type, share of a row in % (Fig. 9b)",
            lambda figure: draw_matrix(figure, counts, TYPES, "type of the phrase", "type of the box that was hit"),
            (6.0, 5.4),
        )
    )
