"""Bars: values of one or two series by name, with intervals if there are any."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.charts.draw import COLORS


def draw_bars(
    figure: Any,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    axis: str,
    intervals: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> None:
    """Draw horizontal bars from the top, one group a name. `intervals`: low and high ends of each bar, by series."""
    axes = figure.add_subplot()
    thick = 0.8 / len(series)
    for number, (label, values) in enumerate(series.items()):
        places = [i + (number - (len(series) - 1) / 2) * thick for i in range(len(names))]
        axes.barh(places, values, height=thick * 0.9, color=COLORS[number], label=label)
        ends = (intervals or {}).get(label)
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
