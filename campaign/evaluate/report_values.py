"""A report as values of JSON: the page shows it as it was made, also after the next version of Chainbox."""

from typing import Any

import numpy as np

from campaign.evaluate.overlays import LIST
from evaluation.page import cell_text
from evaluation.report import Report, Table

LONGEST = 40
"""Rows of a table on the page; the rest is in its CSV file."""


def report_values(report: Report) -> dict[str, Any]:
    """Return everything of the report that its page shows, rounded as there."""
    return {
        "title": report.title,
        "n": report.n,
        "unit": report.unit,
        "notes": list(report.notes),
        "compared": [_compared(report, one.figure, one.paper, one.remark) for one in report.compared],
        "missing": [{"row": row, "needs": needs} for row, needs in report.missing.items()],
        "tables": [_table(one) for one in report.tables],
        "charts": [{"name": one.name, "title": one.title} for one in report.charts],
        "files": sorted(report.files),
        "overlays": any(f"{one.name}.csv" == LIST for one in report.tables),
    }


def _compared(report: Report, figure: str, paper: float, remark: str) -> dict[str, str]:
    ours = report.figures.get(figure)
    return {
        "figure": figure,
        "ours": "" if ours is None else cell_text(_plain(ours)),
        "paper": f"{paper:g}",
        "remark": remark,
    }


def _table(table: Table) -> dict[str, Any]:
    rows = [[cell_text(_plain(cell)) for cell in row] for row in table.rows[:LONGEST]] if table.on_page else []
    return {
        "name": table.name,
        "title": table.title,
        "columns": list(table.columns),
        "rows": rows,
        "more": len(table.rows) - len(rows),
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
