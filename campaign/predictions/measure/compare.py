"""Comparison of the two copies of a measurement: JSON values for its row, with intervals paired by image."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from campaign.predictions.measure.outcome import ImageOutcome
from pipeline.rules.settings.protocol import ProtocolSettings
from simulation.predict.estimate import Estimate, change_of_share, change_of_sum
from simulation.score import Counts

Found = Mapping[str, ImageOutcome]
"""The outcomes of a copy by the names of its images."""
Share = Callable[[Counts], tuple[float, float]]

SHARES: dict[str, Callable[[ImageOutcome], tuple[float, float]]] = {
    "boxes_right": lambda one: (one.boxes.matched, one.boxes.found),
    "boxes_found": lambda one: (one.boxes.matched, one.boxes.gold),
    "chains_exact": lambda one: (one.chains.matched, one.chains.gold),
}


def compare(without: Found, with_it: Found, settings: ProtocolSettings) -> dict[str, Any]:
    """Return each figure without the program and with it, and its change with a 90 % interval.

    Sums change by a share of what they were, shares by their difference. Both copies hold the same images.
    """
    names = sorted(without)
    pairs = [without[name] for name in names], [with_it[name] for name in names]
    sums: dict[str, Callable[[ImageOutcome], float]] = {
        "answers": lambda one: one.answers.total(),
        "linking": lambda one: one.linking,
        "boxing": lambda one: one.answers.total() - one.linking,
        "hours": lambda one: one.hours,
        "cents": lambda one: one.cents(settings),
        "review": lambda one: one.review,
    }
    figures = {name: _sums(*([get(one) for one in side] for side in pairs)) for name, get in sums.items()}
    figures |= {name: _shares(*([get(one) for one in side] for side in pairs)) for name, get in SHARES.items()}
    return figures


def _sums(before: Sequence[float], after: Sequence[float]) -> dict[str, Any]:
    figure = {"without": round(sum(before), 4), "with": round(sum(after), 4)}
    return figure | {"change": _rounded(change_of_sum(before, after))}


def _shares(before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]) -> dict[str, Any]:
    old, new = ([sum(column) for column in zip(*side, strict=True)] for side in (before, after))
    return {"without": old, "with": new, "change": _rounded(change_of_share(before, after))}


def _rounded(found: Estimate | None) -> list[float] | None:
    return [round(each, 5) for each in found] if found else None
