"""Lines: one or more series over the same axis, told apart by colour, dash and mark."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.charts.draw import COLORS

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, slots=True)
class Line:
    """A series: its points, and the number of its colour. Dashed lines share the colour of their solid partner."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    color: int
    dashed: bool = False


def draw_lines(figure: Any, lines: Sequence[Line], x: str, y: str, most: float | None = None) -> None:
    """Draw the series. `x`, `y`: words at the axes; `most`: the upper end of the axis, None: that of the values."""
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
