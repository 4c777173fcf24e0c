"""Frequent phrases [paper 4.1.4, Fig. 10]: R@1 of the commonest ones, and the ones that are hardest to find."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from evaluation.charts.bars import draw_bars
from evaluation.localization.outcome import Outcome
from evaluation.report import Chart, Report, Table

COMMONEST = 25
COLUMNS = ("phrase", "times", "R@1, %", "R@10, %", "mean overlap")


class Frequent(NamedTuple):
    """A phrase in lower case, over all its queries. Shares in percent; the overlap is that of first boxes."""

    phrase: str
    times: int
    first: float
    ten: float
    overlap: float


def by_phrase(outcome: Outcome) -> list[Frequent]:
    """Return every phrase, the commonest first, ties by the alphabet."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, query in enumerate(outcome.queries):
        places[query.phrase.text.lower()].append(i)
    found = []
    for phrase, own in places.items():
        ranks = outcome.ranks[own]
        first, ten = (float(100 * np.mean((ranks > 0) & (ranks <= k))) for k in (1, 10))
        found.append(Frequent(phrase, len(own), first, ten, float(outcome.overlaps[own].mean())))
    return sorted(found, key=lambda one: (-one.times, one.phrase))


def hardest(phrases: list[Frequent], least: int) -> list[Frequent]:
    """Return the phrases that occur at least so often, the ones found least often first."""
    return sorted(
        (one for one in phrases if one.times >= least), key=lambda one: (one.first, one.overlap, -one.times, one.phrase)
    )


def add_hardest(report: Report, outcome: Outcome, least: int) -> None:
    """Add the commonest phrases with their chart (Fig. 10), and the table of the hardest ones."""
    phrases = by_phrase(outcome)
    common = phrases[:COMMONEST]
    report.tables.append(Table("figure_10", "The commonest phrases (Fig. 10)", COLUMNS, common))
    names, values = [f"{one.phrase} ({one.times})" for one in common], [one.first for one in common]
    report.charts.append(
        Chart(
            "figure_10",
            "R@1 of the commonest phrases (Fig. 10)",
            lambda figure: draw_bars(figure, names, {"R@1": values}, "R@1, %"),
            (7.0, 6.0),
        )
    )
    report.tables.append(
        Table(
            "hardest_phrases",
            f"The hardest phrases that occur at least {least} times",
            COLUMNS,
            hardest(phrases, least),
        )
    )
