"""Bar charts as SVG. A chart has its own light background, so that it is readable on light and dark pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import NamedTuple

COLORS = ("#2f6db3", "#e08a2e", "#2b9a7a")
INK, FAINT, GRID, CARD, EDGE = "#1f2933", "#5b6672", "#e3e7ec", "#ffffff", "#d5dae1"
WIDTH, MARGIN, BAR, BAR_GAP, ROW_GAP, LETTER = 760, 28, 14, 2, 14, 7.6


class Bars(NamedTuple):
    """One row of bars: a value of at least 0 for each series."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """Rows of horizontal bars, one bar per series in each."""

    title: str
    description: str
    """A description for people who cannot see the chart."""
    series: tuple[str, ...]
    """One to three names."""
    rows: tuple[Bars, ...]
    show: Callable[[float], str] = "{:,.0f}".format
    """Formats the value at a bar."""
    axis: Callable[[float], str] = "{:,.10g}".format
    """Formats the value below a grid line."""


def bar_chart(chart: BarChart) -> str:
    """Return the chart as an SVG document, with a title and a description for screen readers."""
    plot = _Plot(chart)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {plot.height}" width="{WIDTH}" '
        f'height="{plot.height}" role="img" aria-labelledby="title desc" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13">',
        f'<title id="title">{escape(chart.title)}</title>',
        f'<desc id="desc">{escape(chart.description)}</desc>',
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{plot.height - 1}" rx="10" fill="{CARD}" stroke="{EDGE}"/>',
        _text(MARGIN, 36, chart.title, size=17, weight=600),
        *plot.legend(),
        *plot.grid(),
        *plot.bars(),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def ticks(largest: float) -> list[float]:
    """Return four to eight round values from 0 up to at least `largest`."""
    if largest <= 0:
        return [0.0, 1.0]
    power = 10.0 ** floor(log10(largest / 4))
    step = max((factor for factor in (1, 2, 5) if factor * power <= largest / 4), default=1) * power
    count = -int(-largest // step)
    return [round(step * place, 10) for place in range(count + 1)]


class _Plot:
    """The positions of a chart's parts, in pixels."""

    def __init__(self, chart: BarChart) -> None:
        self.chart = chart
        self.left = MARGIN + max((len(bars.label) for bars in chart.rows), default=0) * LETTER + 12
        self.several = len(chart.series) > 1
        self.top = 84 if self.several else 60
        self.row = len(chart.series) * (BAR + BAR_GAP) + ROW_GAP
        self.bottom = self.top + len(chart.rows) * self.row
        self.height = round(self.bottom + 44)
        values = [value for bars in chart.rows for value in bars.values]
        self.ticks = ticks(max(values, default=0))
        widest = max((len(chart.show(value)) for value in values), default=0)
        self.scale = (WIDTH - MARGIN - widest * LETTER - self.left) / self.ticks[-1]

    def legend(self) -> Iterator[str]:
        if not self.several:
            return
        x = float(MARGIN)
        for name, color in zip(self.chart.series, COLORS, strict=False):
            yield f'<rect x="{x:g}" y="53" width="12" height="12" rx="3" fill="{color}"/>'
            yield _text(x + 18, 64, name, fill=FAINT)
            x += 18 + len(name) * LETTER + 20

    def grid(self) -> Iterator[str]:
        for value in self.ticks:
            x = self.left + value * self.scale
            yield f'<path d="M{x:.1f} {self.top - 6}V{self.bottom:g}" stroke="{GRID}"/>'
            yield _text(x, self.bottom + 20, self.chart.axis(value), size=12, fill=FAINT, anchor="middle")

    def bars(self) -> Iterator[str]:
        for place, (label, values) in enumerate(self.chart.rows):
            y = self.top + place * self.row + ROW_GAP / 2
            middle = y + (self.row - ROW_GAP - BAR_GAP) / 2
            yield _text(self.left - 10, middle + 4.5, label, anchor="end")
            for value, name, color in zip(values, self.chart.series, COLORS, strict=False):
                yield from self.bar(label, name, value, y, color)
                y += BAR + BAR_GAP

    def bar(self, label: str, series: str, value: float, y: float, color: str) -> Iterator[str]:
        shown = self.chart.show(value)
        width = value * self.scale
        about = f"{label}: {shown} {series}" if self.several else f"{label}: {shown}"
        yield (
            f'<rect x="{self.left:.1f}" y="{y:g}" width="{width:.1f}" height="{BAR}" rx="{min(3, width / 2):.1f}" '
            f'fill="{color}"><title>{escape(about)}</title></rect>'
        )
        # A halo keeps the number readable where a line of the grid runs through it.
        halo = f'paint-order="stroke" stroke="{CARD}" stroke-width="4"'
        yield _text(self.left + width + 6, y + BAR - 3, shown, size=11.5, fill=FAINT, more=halo)


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 13,
    fill: str = INK,
    weight: int = 400,
    anchor: str = "start",
    more: str = "",
) -> str:
    look = f'font-size="{size:g}" fill="{fill}"' + (f' font-weight="{weight}"' if weight != 400 else "")
    more = f" {more}" if more else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" {look} text-anchor="{anchor}"{more}>{escape(text)}</text>'
