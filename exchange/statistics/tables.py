"""Statistics as text [paper 3.4], tables and percentages for a terminal, and as charts [figures 3, 5, 6] in SVG."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from pathlib import Path
from typing import NamedTuple

from exchange.statistics.statistics import Json, Statistics, ratio
from runtime.words import number, percent

LABELS = {
    "mentions_per_caption": "mentions per caption",
    "chains_per_image": "chains per image",
    "boxes_per_image": "boxes per image",
    "chains_with_several_mentions": "chains with more than one mention",
    "chains_with_one_box": "chains with one box",
    "chains_with_several_boxes": "chains with several boxes",
    "chains_without_box": "chains without a box",
    "images_with_a_chain_of_several_boxes": "images with a chain of several boxes",
    "mean_highest_iou": "mean highest IOU of a box with one other",
    "boxes_enclosed_by_another": "boxes enclosed by another",
}
AVERAGES = {"mentions_per_caption", "chains_per_image", "boxes_per_image", "mean_highest_iou"}


def statistics_text(statistics: Statistics) -> str:
    """Format all tables and figures, ending in a line break."""
    figures = statistics.figure_6()
    parts = [
        _totals(statistics),
        _table_1(statistics),
        _table_4(statistics),
        _section_3_4(statistics),
        _table_of_figure_5(statistics),
        _words("Figure 6 (a). The most common nouns", figures["nouns"]),
        _words("Figure 6 (b). The most common adjectives", figures["adjectives"]),
        _table_of_figure_3(statistics),
        _parts(statistics),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table: columns as wide as their widest cell, the first to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join([cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))])
        for cells in lines
    ]
    rule = "-" * len(text[0])
    return "\n".join([title, rule, text[0].rstrip(), rule, *(line.rstrip() for line in text[1:])])


def _totals(statistics: Statistics) -> str:
    return (
        f"{statistics.images:,} images, {statistics.captions:,} captions, {statistics.mentions:,} mentions, "
        f"{statistics.chains:,} coreference chains, {statistics.boxes:,} boxes"
    )


def _table_1(statistics: Statistics) -> str:
    row = statistics.table_1()
    header = [name.replace("_", " ") for name in row]
    return table("Table 1. This data set", header, [[number(value, 2) for value in row.values()]])


def _table_4(statistics: Statistics) -> str:
    rows = [[name, *(number(value, 2) for value in row.values())] for name, row in statistics.table_4().items()]
    note = "A chain with several types counts in each, so the types add up to more than the total."
    return table("Table 4. Coreference chains", ["type", "chains", "mentions/chain", "boxes/chain"], rows) + "\n" + note


def _section_3_4(statistics: Statistics) -> str:
    values = statistics.section_3_4()
    rows = [
        [label, number(values[name], 2) if name in AVERAGES else percent(values[name], 1)]
        for name, label in LABELS.items()
    ]
    mentioning = values["images_mentioning"]
    assert isinstance(mentioning, dict)
    rows += [[f"images that mention {kind}", percent(share, 1)] for kind, share in mentioning.items()]
    return table("Section 3.4. Averages and shares", ["", "value"], rows)


def _table_of_figure_5(statistics: Statistics) -> str:
    rows = [[name, *(number(value, 2) for value in row.values())] for name, row in statistics.figure_5().items()]
    return table("Figure 5. Totals per type", ["type", "chains", "mentions", "boxes"], rows)


def _words(title: str, words: list[Json]) -> str:
    rows = [
        [
            str(row["word"]),
            number(row["occurrences"]),
            percent(row["occurrences_share"], 1),
            percent(row["boxes_share"], 1),
        ]
        for row in words
    ]
    return table(title, ["word", "occurrences", "of all mentions", "of all boxes"], rows)


def _table_of_figure_3(statistics: Statistics) -> str:
    if not statistics.link_sources:
        return "Figure 3. Sources of coreference links: not known for this data set."
    rows = [[str(row["source"]), number(row["links"]), percent(row["share"], 1)] for row in statistics.figure_3()]
    return table("Figure 3. Sources of coreference links", ["source", "links", "share"], rows)


def _parts(statistics: Statistics) -> str:
    """Format the agreement on parts; empty: workers were not asked for them."""
    if (found := statistics.parts) is None:
        return ""
    shares = [percent(ratio(all_say, found["links"]), 1) for all_say in (found["part"], found["direction"])]
    title = "Agreement on parts. Links with several answers, of which one or more say that one phrase is a part"
    row = [number(found["links"]), *shares]
    return table(title, ["links", "all say that it is a part", "all name the same part"], [row])


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


def charts(statistics: Statistics) -> dict[str, str]:
    """Return the charts as SVG, by file name. Figure 3 is left out if the sources of links are not known."""
    words = statistics.figure_6()
    found = {
        "figure_5_totals_per_type.svg": _figure_5(statistics),
        "figure_6a_nouns.svg": _figure_6("nouns", words["nouns"]),
        "figure_6b_adjectives.svg": _figure_6("adjectives", words["adjectives"]),
    }
    if statistics.link_sources:
        found["figure_3_link_sources.svg"] = _figure_3(statistics)
    return {name: bar_chart(chart) for name, chart in sorted(found.items())}


def write_charts(statistics: Statistics, folder: Path) -> list[Path]:
    """Write every chart into the folder, which is made if it is missing. Existing charts are overwritten."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, text in charts(statistics).items():
        file = folder / name
        file.write_text(text, encoding="utf-8")
        files.append(file)
    return files


def _figure_3(statistics: Statistics) -> BarChart:
    rows = statistics.figure_3()
    total = sum(statistics.link_sources.values())
    return BarChart(
        title="Where the coreference links come from",
        description=f"{total:,} links between two mentions of an image, by source. " + _most(rows, "source", "links"),
        series=("links",),
        rows=tuple(Bars(str(row["source"]), (_value(row["links"]),)) for row in rows),
        show=lambda value: f"{value:,.0f} ({percent(value / total if total else 0.0, 1)})",
    )


def _figure_5(statistics: Statistics) -> BarChart:
    rows = statistics.figure_5()
    return BarChart(
        title="Coreference chains, mentions and boxes per type",
        description=f"{statistics.chains:,} chains, {statistics.mentions:,} mentions and {statistics.boxes:,} boxes "
        f"of {statistics.images:,} images. A chain with several types counts in each.",
        series=("chains", "mentions", "boxes"),
        rows=tuple(Bars(name, tuple(_value(number) for number in row.values())) for name, row in rows.items()),
    )


def _figure_6(what: str, words: Sequence[Json]) -> BarChart:
    return BarChart(
        title=f"The most common {what}",
        description=f"The {len(words)} most common {what}, with their shares of all boxes and of all mentions. "
        + _most(words, "word", "occurrences"),
        series=("of all boxes", "of all mentions"),
        rows=tuple(
            Bars(str(row["word"]), (_value(row["boxes_share"]), _value(row["occurrences_share"]))) for row in words
        ),
        show=lambda value: percent(value, 1),
        axis=lambda value: f"{100 * value:g} %",
    )


def _most(rows: Sequence[Json], name: str, number: str) -> str:
    return f"Most often: {rows[0][name]}, {_value(rows[0][number]):,.0f} times." if rows else "There are none."


def _value(value: object) -> float:
    """Return a count or a share as a number. A share of nothing is drawn as 0."""
    return float(value) if isinstance(value, int | float) else 0.0
