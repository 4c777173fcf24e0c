"""Weights by type [paper 4.1.3]: the ones with the most first places right, on images that the scorer did not see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.localization.cues.distances import OTHERS, PAPER, WEIGHT, weight_of
from evaluation.localization.cues.scorer import Candidates, QueryCues, Sources, cues_of, fit_scorer
from evaluation.localization.embedding.task import EmbeddingData
from evaluation.reading.picture import TYPES

GRID = tuple(round(0.05 * step, 2) for step in range(11))


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


def folds(images: Sequence[str], count: int = 5) -> list[list[str]]:
    """Return disjoint parts that together are the images; every fold is used once to check what the others taught."""
    return [list(images[start::count]) for start in range(min(count, len(images)))]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of size and colour by type."""

    sizes: dict[str, float]
    colors: dict[str, float]

    def of(self, types: Sequence[str]) -> tuple[float, float]:
        """Return the weights of size and colour of a phrase, by its first type."""
        return weight_of(types, self.sizes), weight_of(types, self.colors, WEIGHT)


def paper_weights() -> Weights:
    """Return the paper's weights of size, and the decided one of colour, which the paper does not print."""
    return Weights({kind: PAPER.get(kind, OTHERS) for kind in TYPES}, dict.fromkeys(TYPES, WEIGHT))


def held_out_cues(task: EmbeddingData, sources: Sources) -> list[QueryCues]:
    """Return the cues of all images to fit on, each from a scorer that was fitted on the others (five folds).

    A model is too sure of the pairs it learned, so weights fitted on those would favour it.
    """
    found: list[QueryCues] = []
    for fold in folds(task.fit):
        others = [name for name in task.fit if name not in set(fold)]
        if task.queries(others) and task.queries(fold):
            found += cues_of(task, fit_scorer(task, others, sources), fold, sources)
    return found


def fit_weights(cues: Sequence[QueryCues]) -> Weights:
    """Return the weights with the most first places right; types that do not occur keep the paper's."""
    candidates = [cue.candidates for cue in cues]
    sizes = paper_weights().sizes | fit_size_weights(candidates)
    colors = paper_weights().colors | fit_color_weights(candidates, sizes, OTHERS)
    return Weights(sizes, colors)
