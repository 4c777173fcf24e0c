"""A fitted scorer: the region-phrase model and the colours, learned on some images, and applied to others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.cues.colors import ColorClassifier, color_of_phrase, fit_color_classifier
from evaluation.localization.cues.detector_class import detector_class
from evaluation.localization.cues.distances import detector_or_embedding, shares, with_color, with_detector, with_size
from evaluation.localization.embedding.builtin_features import region_colors
from evaluation.localization.embedding.features_of_step import BuiltinFeatures
from evaluation.localization.embedding.region_file import RegionFile
from evaluation.localization.embedding.region_phrase_model import RegionPhraseModel
from evaluation.localization.embedding.task import EmbeddingData, distances, grouped
from evaluation.localization.queries import Query
from evaluation.scoring.iou import iou
from evaluation.scoring.recall import HIT

Array = NDArray[Any]
Colors = ColorClassifier | RegionFile


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


@dataclass(frozen=True, slots=True)
class QueryCues:
    """A query and, for each of its image's regions, the embedding's distance and the scores of the cues."""

    query: Query
    embedding: Array
    sizes: Array
    right: NDArray[np.bool_]
    """Whether each region overlaps the gold box by at least 0.5."""
    detector: Array | None = None
    """Scores of the phrase's detector; None for a phrase without."""
    detector_class: str | None = None
    color: Array | None = None
    """Scores of the phrase's colour; None for a phrase without."""

    @property
    def candidates(self) -> Candidates:
        """Return the values that weights are fitted on, with the detector in the distances (equation 1)."""
        base = with_detector(self.embedding, self.detector)
        return Candidates(self.query.types, base, self.sizes, self.right, self.color)


def row_distances(cues: QueryCues, size_weight: float, color_weight: float) -> dict[str, Array]:
    """Return the distances of the regions in each row of Table 5, by the row's name."""
    base = with_detector(cues.embedding, cues.detector)
    return {
        "cca": cues.embedding,
        "cca_or_detector": detector_or_embedding(cues.embedding, cues.detector),
        "cca+detector": base,
        "size": 1 - cues.sizes,
        "cca+detector+size": with_size(base, cues.sizes, size_weight),
        "cca+detector+color": with_color(base, cues.sizes, cues.color, size_weight=0, color_weight=color_weight),
        "cca+detector+size+color": with_color(
            base, cues.sizes, cues.color, size_weight=size_weight, color_weight=color_weight
        ),
    }


@dataclass(frozen=True, slots=True)
class Sources:
    """Files of scores and the words of detectors."""

    detectors: RegionFile | None = None
    colors: RegionFile | None = None
    words: Mapping[str, str] | None = None
    """The class of each head noun; None: those that come along."""
    photographs: BuiltinFeatures | None = None
    """The photographs from which colours are learned, if there are any."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model and the colours, fitted on the same images."""

    model: RegionPhraseModel
    colors: Colors | None


def fit_scorer(task: EmbeddingData, images: Sequence[str], sources: Sources) -> Scorer:
    """Fit the model, and without a file of colours the classifier, on the images."""
    return Scorer(task.model(images), sources.colors or _fit_colors(task, images, sources.photographs))


def cues_of(task: EmbeddingData, scorer: Scorer, images: Sequence[str], sources: Sources) -> list[QueryCues]:
    """Return the cues of all queries of the images."""
    found = []
    for query, embedding in distances(task, scorer.model, images):
        boxes = task.regions.boxes[query.image]
        kind = detector_class(query.phrase.words, sources.words)
        scores = sources.detectors.column(kind, query.image, boxes) if sources.detectors and kind else None
        found.append(
            QueryCues(
                query=query,
                embedding=embedding,
                sizes=shares(boxes, *query.size),
                right=iou(boxes, np.array([query.gold]))[:, 0] >= HIT,
                detector=scores,
                detector_class=kind if scores is not None else None,
                color=color_scores(scorer.colors, query, boxes, sources.photographs),
            )
        )
    return found


def color_scores(
    colors: Colors | None,
    query: Query,
    boxes: NDArray[np.float64],
    photographs: BuiltinFeatures | None,
    color: str | None = None,
) -> NDArray[np.float64] | None:
    """Return the scores of a colour for the boxes, or None if it is unknown or the phrase names none.

    `color`: another colour than the phrase's.
    """
    named = color or color_of_phrase(query.phrase.words, query.types)
    if named is None or colors is None:
        return None
    if isinstance(colors, RegionFile):
        return colors.column(named, query.image, boxes)
    assert photographs is not None
    return colors.column(named, region_colors(photographs.maps(query.image), boxes))


def colored(queries: Sequence[Query]) -> list[tuple[Query, str]]:
    """Return the queries that name one colour, with it."""
    named = [(query, color_of_phrase(query.phrase.words, query.types)) for query in queries]
    return [(query, color) for query, color in named if color is not None]


def _fit_colors(
    task: EmbeddingData, images: Sequence[str], photographs: BuiltinFeatures | None
) -> ColorClassifier | None:
    found = colored(task.queries(images))
    if photographs is None or not found:
        return None
    names = {query.key: color for query, color in found}
    rows: list[NDArray[np.float32]] = []
    colors: list[str] = []
    for image, own in grouped([query for query, _ in found]):
        rows.append(region_colors(photographs.maps(image), np.array([query.gold for query in own])))
        colors += [names[query.key] for query in own]
    return fit_color_classifier(np.concatenate(rows), colors)
