"""A report before it is written: figures, tables, charts, comparisons with the paper, and remarks.

Charts look the same in every report, and their files are the same in every run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.errors import need

Cell = str | int | float | None
SIZE = (7.0, 4.2)
"""Width and height of a chart in inches."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table: a CSV file of this name, and a part of the page if it is short enough to read."""

    name: str
    """The file's name without ending, such as "table_1"."""
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    on_page: bool = True


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart: an SVG and a PNG file of this name."""

    name: str
    title: str
    draw: Callable[[Any], None]
    """Draws on a matplotlib Figure."""
    size: tuple[float, float] = SIZE


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A picture that is drawn already: a JPEG file of this name."""

    name: str
    title: str
    data: bytes
    """The contents of the file."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure beside the paper's. `remark`: the reason if the two are not comparable, or empty."""

    figure: str
    """The name of our figure, or the paper's row if ours is missing."""
    paper: float
    remark: str = ""


@dataclass
class Report:
    """The result of a step."""

    title: str
    n: int
    """The number of scored things: images, phrases."""
    unit: str
    """The things that n counts, such as "phrases"."""
    figures: dict[str, float] = field(default_factory=dict)
    """Shares in percent; content selection as fractions. Not rounded."""
    tables: list[ReportTable] = field(default_factory=list)
    charts: list[ReportChart] = field(default_factory=list)
    drawings: list[ReportPicture] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences: what was left out, what is not comparable."""
    missing: dict[str, str] = field(default_factory=dict)
    """Rows that could not be made, each with what it needs: "not reproduced: needs ..."."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings beside the options of the step."""
    split: dict[str, Sequence[str]] = field(default_factory=dict)
    """The names of the images, by what they were used for: "scored", "fitted on"."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Other text files by name, such as lists of ids."""

    def table(
        self, name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, on_page: bool = True
    ) -> None:
        """Add a table."""
        self.tables.append(ReportTable(name, title, columns, rows, on_page))

    def leave_out(self, names: Sequence[str], what: str) -> None:
        """Count the things of a file that are not scored, and say so. `what`: such as "images of the file"."""
        if names:
            self.figures["unknown"] = len(names)
            some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            self.notes.append(f"{len(names):,} {what} are not in the data: {some}. They are ignored.")

    def put(self, figures: Mapping[str, float], prefix: str = "") -> None:
        """Add figures, their names behind the prefix."""
        self.figures.update({f"{prefix}{name}": value for name, value in figures.items()})


STYLE = {
    "svg.hashsalt": "evaluation",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 10.0,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}
COLORS = ("#0b6e99", "#c2410c", "#3f7d20", "#7a3e9d", "#8a6d00", "#b0235f", "#4b5563", "#1f9e89")
"""Told apart by people who confuse red and green, and of similar darkness."""
FILES: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None, "Creator": None}},
    "png": {"metadata": {"Software": None}, "dpi": 150},
}
"""The kinds of files, with the options that matplotlib gets."""
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


def draw_chart(chart: ReportChart, folder: Path) -> None:
    """Write the chart as SVG and PNG. Raises MissingExtra without matplotlib."""
    matplotlib = need("matplotlib", "drawing charts")
    figures = need("matplotlib.figure", "drawing charts")
    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=chart.size)
        chart.draw(figure)
        for ending, options in FILES.items():
            figure.savefig(folder / f"{chart.name}.{ending}", **options)


def add_bars(
    report: Report,
    name: str,
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    axis: str,
    *,
    intervals: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    size: tuple[float, float] = SIZE,
) -> None:
    """Add horizontal bars from the top, one group a name. `intervals`: low and high ends of each bar, by series."""
    draw = partial(_draw_bars, names=names, series=series, axis=axis, intervals=intervals or {})
    report.charts.append(ReportChart(name, title, draw, size))


def _draw_bars(
    figure: Any,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    axis: str,
    intervals: Mapping[str, Sequence[tuple[float, float]]],
) -> None:
    axes = figure.add_subplot()
    thick = 0.8 / len(series)
    for number, (label, values) in enumerate(series.items()):
        places = [i + (number - (len(series) - 1) / 2) * thick for i in range(len(names))]
        axes.barh(places, values, height=thick * 0.9, color=COLORS[number], label=label)
        ends = intervals.get(label)
        if ends:
            lengths = [[max(0.0, v - low) for v, (low, _) in zip(values, ends, strict=True)]]
            lengths.append([max(0.0, high - v) for v, (_, high) in zip(values, ends, strict=True)])
            axes.errorbar(values, places, xerr=lengths, fmt="none", ecolor="#222222", elinewidth=1, capsize=2)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlabel(axis)
    axes.set_xlim(left=0)
    if len(series) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A series: its points, and the number of its colour. Dashed lines share the colour of their solid partner."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    color: int
    dashed: bool = False


def add_lines(
    report: Report, name: str, title: str, lines: Sequence[ChartLine], x: str, y: str, most: float | None = None
) -> None:
    """Add the series. `x`, `y`: words at the axes; `most`: the upper end of the axis, None: that of the values."""
    report.charts.append(ReportChart(name, title, partial(_draw_lines, lines=lines, x=x, y=y, most=most)))


def _draw_lines(figure: Any, lines: Sequence[ChartLine], x: str, y: str, most: float | None) -> None:
    axes = figure.add_subplot()
    for line in lines:
        axes.plot(
            line.x,
            line.y,
            label=line.name,
            color=COLORS[line.color % len(COLORS)],
            marker=MARKS[line.color % len(MARKS)],
            markersize=4,
            linewidth=1.4,
            linestyle="--" if line.dashed else "-",
        )
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(0, most)
    if len(lines) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def add_matrix(
    report: Report,
    name: str,
    title: str,
    counts: np.ndarray,
    names: Sequence[str],
    rows: str,
    columns: str,
    size: tuple[float, float],
) -> None:
    """Add a square matrix of counts. A row's shades add up to 100 %; the number in a cell is that percentage."""
    draw = partial(_draw_matrix, counts=counts, names=names, rows=rows, columns=columns)
    report.charts.append(ReportChart(name, title, draw, size))


def _draw_matrix(figure: Any, counts: np.ndarray, names: Sequence[str], rows: str, columns: str) -> None:
    sums = counts.sum(axis=1, keepdims=True)
    shares = np.divide(100 * counts, sums, out=np.zeros(counts.shape), where=sums > 0)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=100)
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            if counts[i, j]:
                axes.text(j, i, f"{share:.0f}", ha="center", va="center", color="white" if share > 55 else "#222222")
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.grid(False)
    axes.set_xlabel(columns)
    axes.set_ylabel(rows)
