"""Drawing a chart into files that are the same in every run: no dates, fixed ids, one style."""

from pathlib import Path
from typing import Any

from evaluation.optional import need
from evaluation.report import Chart

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


def draw_chart(chart: Chart, folder: Path) -> None:
    """Write the chart as SVG and PNG. Raises MissingExtra without matplotlib."""
    matplotlib = need("matplotlib", "drawing charts")
    figures = need("matplotlib.figure", "drawing charts")
    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=chart.size)
        chart.draw(figure)
        for ending, options in FILES.items():
            figure.savefig(folder / f"{chart.name}.{ending}", **options)
