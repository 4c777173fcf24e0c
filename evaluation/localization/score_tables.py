"""Tables and charts of scored predictions [paper 4.1.3, Tables 5 and 6], and the list of all phrases."""

from collections.abc import Sequence

from evaluation.charts.bars import draw_bars
from evaluation.localization.confusion import Judged
from evaluation.localization.outcome import Outcome
from evaluation.reading.sentences import TYPES
from evaluation.report import Cell, Chart, Report, Table
from evaluation.scoring.recall import KS

PHRASE_COLUMNS = (
    "image", "caption", "phrase", "words", "types", "class", "rank", "overlap",
    "gold x0", "gold y0", "gold x1", "gold y1", "x0", "y0", "x1", "y1",
)  # fmt: skip


def add_recall(report: Report, outcome: Outcome) -> None:
    """Add recall overall and by type, with intervals."""
    types = [kind for kind in TYPES if f"R@1.{kind}" in report.figures]
    rows: list[list[Cell]] = []
    for words, end, count in [("all", "", report.n), *((kind, f".{kind}", 0) for kind in types)]:
        row: list[Cell] = [words, count or report.figures[f"queries{end}"]]
        for k in KS:
            name = f"R@{k}{end}"
            row += [report.figures[name], _range(report, name)]
        rows.append(row)
    columns = ["type", "phrases", *(name for k in KS for name in (f"R@{k}", "95 %"))]
    report.tables.append(Table("recall", "Recall, % (form of Tables 5 and 6)", columns, rows))
    names = ["all", *types]
    ends = ["", *(f".{kind}" for kind in types)]
    values = {f"R@{k}": [report.figures[f"R@{k}{end}"] for end in ends] for k in KS}
    intervals = {
        f"R@{k}": [(report.figures[f"R@{k}{end}.low"], report.figures[f"R@{k}{end}.high"]) for end in ends] for k in KS
    }
    report.charts.append(
        Chart(
            "recall_by_type",
            "Recall by type, with 95 % intervals",
            lambda figure: draw_bars(figure, names, values, "phrases found, %", intervals),
            (7.0, 5.4),
        )
    )


def add_phrases(report: Report, outcome: Outcome, judged: Sequence[Judged]) -> None:
    """Add the list of all phrases with their gold box, first box, overlap and class, for overlays on the pictures."""
    rows: list[list[Cell]] = []
    for i, query in enumerate(outcome.queries):
        first: Sequence[Cell] = outcome.firsts[i] or (None,) * 4
        image, caption, phrase = query.key
        rank = int(outcome.ranks[i]) or None
        words, types = query.phrase.text, "/".join(query.types)
        told: list[Cell] = [image, caption, phrase, words, types, judged[i].kind, rank, float(outcome.overlaps[i])]
        rows.append([*told, *query.gold, *first])
    report.tables.append(Table("phrases", "All phrases", PHRASE_COLUMNS, rows, on_page=False))


def _range(report: Report, name: str) -> str:
    return f"{report.figures[f'{name}.low']:.1f} to {report.figures[f'{name}.high']:.1f}"
