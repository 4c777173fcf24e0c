"""Weights of a step: fitted by type on images that the scored model did not learn from, or given."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.localization.cues.color_distance import WEIGHT
from evaluation.localization.cues.fit_weights import fit_color_weights, fit_size_weights
from evaluation.localization.cues.halves import folds
from evaluation.localization.cues.query_cues import QueryCues
from evaluation.localization.cues.scorer import Sources, cues_of, fit_scorer
from evaluation.localization.cues.size_distance import OTHERS, PAPER, weight_of
from evaluation.localization.embedding.task import Task
from evaluation.reading.sentences import TYPES


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


def held_out_cues(task: Task, sources: Sources) -> list[QueryCues]:
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
    candidates = [each.candidates for each in cues]
    sizes = paper_weights().sizes | fit_size_weights(candidates)
    colors = paper_weights().colors | fit_color_weights(candidates, sizes, OTHERS)
    return Weights(sizes, colors)
