"""The page of a report, report.md: figures beside the paper's, tables, charts, and remarks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.figure_names import figure_name
from evaluation.papers import PAPERS, cited_by
from evaluation.report import Cell, Report, Table

LONGEST = 1_000
"""Rows of a table on the page; the rest is in its CSV file."""


def page_of(report: Report, result: Mapping[str, Any]) -> str:
    """Return the page as Markdown."""
    return "\n".join(_lines(report, result)) + "\n"


def _lines(report: Report, result: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {report.title}"
    yield ""
    yield f"{report.n:,} {report.unit}, seed {result['seed']}. Every figure, unrounded: report.json."
    for note in report.notes:
        yield ""
        yield note
    if report.compared:
        yield from ("", "## Beside the paper", "")
        yield from _compared(report)
    if report.missing:
        yield from ("", "## Not reproduced", "")
        yield from (f"- {row}: not reproduced: needs {needs}" for row, needs in report.missing.items())
    for table in report.tables:
        if table.on_page:
            yield from ("", f"## {table.title}", "")
            yield from _table(table)
    for chart in report.charts:
        yield from ("", f"## {chart.title}", "", f"![{chart.title}]({chart.name}.svg)")
    if report.drawings:
        yield from ("", "## Pictures")
    for drawing in report.drawings:
        yield from ("", drawing.title, "", f"![{drawing.title}]({drawing.name}.jpg)")
    if cited := cited_by(result["settings"].get("step", "")):
        yield from ("", "## Cite", "", "The papers whose protocol this is; cite.bib has them for LaTeX.", "")
        yield from (f"- {PAPERS[key].line}" for key in cited)
    yield from ("", "## Settings and inputs", "")
    yield from (f"- {name}: {value}" for name, value in sorted(result["settings"].items()))
    yield from (f"- SHA-256 of {name}: {digest}" for name, digest in sorted(result["inputs"].items()))
    yield "- " + ", ".join(f"{name} {number}" for name, number in sorted(result["versions"].items()))


def _compared(report: Report) -> Iterator[str]:
    yield from _rows(("figure", "ours", "paper", "remark"))
    for one in report.compared:
        ours = report.figures.get(one.figure)
        yield _row(
            (
                figure_name(one.figure),
                "" if ours is None else cell_text(ours),
                f"{one.paper:g}",
                one.remark or "comparable",
            )
        )


def _table(table: Table) -> Iterator[str]:
    yield from _rows(table.columns)
    yield from (_row([cell_text(one) for one in row]) for row in table.rows[:LONGEST])
    if len(table.rows) > LONGEST:
        yield from ("", f"{len(table.rows) - LONGEST:,} more rows: {table.name}.csv")


def _rows(columns: Sequence[str]) -> Iterator[str]:
    yield _row(columns)
    yield "|" + " --- |" * len(columns)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def cell_text(value: Cell) -> str:
    """Return a value as the page shows it: whole numbers as they are, others with two or three decimals."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:,.2f}"
