"""A fitted scorer: the region-phrase model and the colours, learned on some images, applied to others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.cues.color_classifier import ColorClassifier, fit_color_classifier
from evaluation.localization.cues.color_of_phrase import color_of_phrase
from evaluation.localization.cues.detector_class import detector_class
from evaluation.localization.cues.query_cues import QueryCues
from evaluation.localization.cues.size_distance import shares
from evaluation.localization.embedding.builtin_features import region_colors
from evaluation.localization.embedding.features_of_step import BuiltinFeatures
from evaluation.localization.embedding.region_file import RegionFile
from evaluation.localization.embedding.region_phrase_model import RegionPhraseModel
from evaluation.localization.embedding.score_regions import distances
from evaluation.localization.embedding.task import Task, grouped
from evaluation.localization.queries import Query
from evaluation.scoring.iou import iou
from evaluation.scoring.recall import HIT

Colors = ColorClassifier | RegionFile


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


def fit_scorer(task: Task, images: Sequence[str], sources: Sources) -> Scorer:
    """Fit the model, and without a file of colours the classifier, on the images."""
    return Scorer(task.model(images), sources.colors or _fit_colors(task, images, sources.photographs))


def cues_of(task: Task, scorer: Scorer, images: Sequence[str], sources: Sources) -> list[QueryCues]:
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


def _fit_colors(task: Task, images: Sequence[str], photographs: BuiltinFeatures | None) -> ColorClassifier | None:
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
