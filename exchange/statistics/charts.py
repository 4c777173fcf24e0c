"""Charts of a data set [paper 3.4, figures 3, 5, 6]: the contents of each, and their files."""

from collections.abc import Sequence
from pathlib import Path

from exchange.statistics.statistics import Json, Statistics
from exchange.statistics.svg import BarChart, Bars, bar_chart
from runtime.words import percent


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
