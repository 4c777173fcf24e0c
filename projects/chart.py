"""Chart: a table of numbers that a page shows, a script draws, and a CSV file holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponseBase

from runtime.downloads import csv_lines, download
from runtime.words import NONE, number, percent

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Chart:
    """One table of numbers. `draw`: how the script draws it; "" for a table alone."""

    name: str
    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    draw: str = ""
    percent: frozenset[int] = frozenset()
    """The columns that are shares, from 0."""

    @property
    def shown(self) -> list[list[tuple[Cell, str]]]:
        """The rows, each cell with its value and its text."""
        return [[(cell, self._text(place, cell)) for place, cell in enumerate(row)] for row in self.rows]

    def _text(self, place: int, cell: Cell) -> str:
        if cell is None:
            return NONE
        if isinstance(cell, str):
            return _moment(cell) if place == 0 and self.draw == "bars" else cell
        if place in self.percent:
            return percent(cell, 1)
        return number(cell, 2)


def _moment(text: str) -> str:
    at = datetime.fromisoformat(text)
    return f"{at:%d %b %H:%M}" if at.hour or at.minute else f"{at:%d %b}"


def as_csv(project: str, chart: Chart) -> HttpResponseBase:
    """Send the numbers as CSV: shares as fractions, times in UTC."""
    names: list[str] = []
    for name in chart.columns:
        names.append(f"{names[-1]} (paper)" if name == "paper" else name)
    return download(csv_lines(names, chart.rows), f"{project}-{chart.name}.csv")
