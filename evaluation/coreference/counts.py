"""Counts of a metric: the numerators and denominators of precision and recall, which add up over images."""

from typing import NamedTuple


class Counts(NamedTuple):
    """The numerators and denominators of one image, or of many added up."""

    right_of_response: float
    """The part of the response that is right, in the metric's unit ..."""
    response: float
    """... of the whole response: their ratio is the precision."""
    right_of_gold: float
    """The part of gold that the response has ..."""
    gold: float
    """... of all gold: their ratio is the recall."""


def shared(first: frozenset[object], chains: list[frozenset[object]]) -> list[int]:
    """Return how many mentions the chain shares with each of the others, without those that share none."""
    return [count for chain in chains if (count := len(first & chain))]


def links(size: int) -> int:
    """Return the number of pairs among so many mentions."""
    return size * (size - 1) // 2
