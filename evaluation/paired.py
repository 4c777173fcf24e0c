"""Two models beside each other: differences of figures over the same resamples of the images."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.report import Cell, Report
from evaluation.scoring.bootstrap import interval, two_sided

SURE = 0.05
COLUMNS = ("figure", "ours", "the other's", "difference", "low", "high", "p")


def add_differences(report: Report, names: Sequence[str], theirs: Mapping[str, float], differences: np.ndarray) -> None:
    """Add the other model's figures and the differences, ours less theirs, in points.

    `names`: the figures that were compared. `differences`: of resamples, of shape (draws, names).
    """
    low, high = interval(differences)
    p = two_sided(differences)
    floor = p_floor(len(differences))
    rows: list[list[Cell]] = []
    for place, name in enumerate(names):
        difference = report.figures[name] - theirs[name]
        own = {"": difference, ".low": float(low[place]), ".high": float(high[place])}
        report.put({f"against.{name}": theirs[name]})
        report.put({**own, ".p": float(p[place])}, f"difference.{name}")
        told = f"< {floor:.2g}" if p[place] <= floor else f"{p[place]:.3f}"
        rows.append([name, report.figures[name], theirs[name], *own.values(), told])
    report.table("against", "Beside the other model (points of %)", COLUMNS, rows)
    report.notes.append(
        f"The difference is ours less theirs; p is twice the smaller share of {len(differences):,} resamples beyond 0, "
        f"which cannot tell values below {floor:.2g} apart: there it says less than that."
    )
    report.notes.append(
        f"{len(names)} figures were compared: by chance alone about {SURE * len(names):.0f} of them have a p below "
        f"{SURE}. For a claim about one of many, ask for a p below {SURE / len(names):.2g}."
    )


def p_floor(draws: int) -> float:
    """Return the least p that so many resamples can show."""
    return 2 / (draws + 1)
