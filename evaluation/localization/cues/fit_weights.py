"""Weights by type [paper 4.1.3]: the one with the most first places right, on images kept for this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.cues.color_distance import with_color

GRID = tuple(round(0.05 * step, 2) for step in range(11))


@dataclass(frozen=True, slots=True)
class Candidates:
    """A phrase, its regions' distances and scores, and which regions are right."""

    types: tuple[str, ...]
    distances: NDArray[Any]
    sizes: NDArray[Any]
    right: NDArray[np.bool_]
    color: NDArray[Any] | None = None
    """Scores of the phrase's colour; None for a phrase without."""

    def first_is_right(self, size_weight: float, color_weight: float) -> bool:
        """Tell whether the nearest region is right; the first of equally near ones counts."""
        if not len(self.right):
            return False
        full = with_color(self.distances, self.sizes, self.color, size_weight=size_weight, color_weight=color_weight)
        return bool(self.right[int(np.argmin(full))])


def fit_size_weights(phrases: Sequence[Candidates], grid: Sequence[float] = GRID) -> dict[str, float]:
    """Return the weight of size for each first type that occurs; of equally good weights the smallest."""
    return {
        name: best(grid, [sum(each.first_is_right(weight, 0.0) for each in group) for weight in grid])
        for name, group in by_type([_without_color(phrase) for phrase in phrases]).items()
    }


def fit_color_weights(
    phrases: Sequence[Candidates], size_weights: Mapping[str, float], default: float, grid: Sequence[float] = GRID
) -> dict[str, float]:
    """Return the weight of colour for each first type with coloured phrases, beside the fitted weights of size."""
    result = {}
    for name, group in by_type([phrase for phrase in phrases if phrase.color is not None]).items():
        size = size_weights.get(name, default)
        allowed = [weight for weight in grid if weight + size <= 1]
        result[name] = best(allowed, [sum(each.first_is_right(size, weight) for each in group) for weight in allowed])
    return result


def by_type(phrases: Sequence[Candidates]) -> dict[str, list[Candidates]]:
    """Return the phrases by their first type, in the order of the types' names."""
    groups: dict[str, list[Candidates]] = {}
    for phrase in phrases:
        groups.setdefault(phrase.types[0] if phrase.types else "other", []).append(phrase)
    return dict(sorted(groups.items()))


def best(grid: Sequence[float], hits: Sequence[int]) -> float:
    """Return the first weight with the most hits."""
    return grid[int(np.argmax(hits))]


def _without_color(phrase: Candidates) -> Candidates:
    return Candidates(phrase.types, phrase.distances, phrase.sizes, phrase.right)
