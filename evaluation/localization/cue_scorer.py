"""Full model [paper 4.1.3, equations 1 to 3, footnote 4, Figure 8]: distances by detector, size and colour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError, need
from evaluation.localization.embedding.cca import RegionPhraseModel
from evaluation.localization.embedding.embedding_step import EmbeddingData, distances, grouped
from evaluation.localization.embedding.features import (
    BINS,
    CHROMA,
    LIGHTNESS,
    BuiltinFeatures,
    RegionFile,
    region_colors,
)
from evaluation.localization.queries import Query
from evaluation.scoring import HIT, area, iou

DETECTOR_WORDS_FILE = Path(__file__).with_name("pascal_words.txt")


@cache
def read_detector_words(file: Path = DETECTOR_WORDS_FILE) -> Mapping[str, str]:
    """Return the class of each head noun. A line: class, colon, head nouns; a line that begins with # is a comment.

    Raises InputError, naming the line, for a line without colon and for a noun of two classes.
    """
    classes: dict[str, str] = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, nouns = line.partition(":")
        if not colon:
            raise InputError(f"{file}, line {number}: a class, a colon and its nouns are expected.")
        for noun in nouns.split():
            if classes.setdefault(noun, name.strip()) != name.strip():
                raise InputError(f"{file}, line {number}: {noun} belongs to {classes[noun]} already.")
    return classes


def detector_class(words: Sequence[str], classes: Mapping[str, str]) -> str | None:
    """Return the class of the phrase's last word with a letter, or None if it has none."""
    readable = [word.lower() for word in words if any(letter.isalpha() for letter in word)]
    return classes.get(readable[-1]) if readable else None


COLORS = ("black", "white", "red", "blue", "green", "yellow", "brown", "grey", "orange", "pink", "purple")
SPELLINGS = {"gray": "grey"}
PEOPLE = "people"


def color_of_phrase(words: Sequence[str], types: Sequence[str]) -> str | None:
    """Return the colour that the phrase names, or None for none, for several, and for a phrase about people."""
    if PEOPLE in types:
        return None
    named = [SPELLINGS.get(word.lower(), word.lower()) for word in words]
    found = [word for word in named if word in COLORS]
    return found[0] if len(found) == 1 else None


def softened(features: NDArray[Any]) -> NDArray[np.float64]:
    """Return roots of histograms (n, BINS) whose bins share with their neighbours: near shades are near colours."""
    cubes = np.asarray(features, dtype=np.float64).reshape(-1, LIGHTNESS, CHROMA, CHROMA)
    soft = need("scipy.ndimage", "comparing colours").gaussian_filter(cubes, (0, 0.7, 0.7, 0.7), mode="constant")
    return np.asarray(np.sqrt(np.maximum(soft, 0)).reshape(len(cubes), BINS), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ColorClassifier:
    """A multinomial logistic regression."""

    colors: tuple[str, ...]
    slopes: NDArray[np.float64]
    """Shape (colours, features)."""
    constants: NDArray[np.float64]

    def scores(self, features: NDArray[Any]) -> NDArray[np.float64]:
        """Return the softmax of each colour for each row: shape (n, colours)."""
        raw = softened(features) @ self.slopes.T + self.constants
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)

    def column(self, color: str, features: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return the score of one colour, shape (n), or None for a colour never seen in training."""
        return self.scores(features)[:, self.colors.index(color)] if color in self.colors else None


def fit_color_classifier(features: NDArray[Any], colors: Sequence[str]) -> ColorClassifier | None:
    """Fit on Lab histograms (n, bins) of regions and the colours of their phrases; None for fewer than two colours."""
    linear = need("sklearn.linear_model", "fitting the colour classifier")
    names = sorted(set(colors))
    if len(names) < 2:
        return None
    model = linear.LogisticRegression(C=10, max_iter=1000).fit(
        softened(features), [names.index(color) for color in colors]
    )
    slopes, constants = model.coef_, model.intercept_
    if len(names) == 2:
        # Two classes have one row of slopes, for the second against the first.
        slopes, constants = np.vstack([np.zeros_like(slopes), slopes]), np.concatenate([[0.0], constants])
    return ColorClassifier(tuple(names), slopes, constants)


Array = NDArray[np.float64]
PAPER_WEIGHTS = {"scene": 0.2, "vehicles": 0.2, "instruments": 0.2}
OTHERS = 0.1
WEIGHT = 0.2
"""Without validation data; the paper prints none."""


def with_detector(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 0.5 D + 0.5 (1 - score) of each region, or the embedding's distance D for a phrase without detector."""
    if scores is None:
        return np.asarray(embedding, dtype=np.float64)
    return np.asarray(0.5 * np.asarray(embedding) + 0.5 * (1 - np.asarray(scores)), dtype=np.float64)


def detector_or_embedding(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 1 - score of each region, or the embedding's distance for a phrase without detector (Table 5c)."""
    return np.asarray(embedding if scores is None else 1 - np.asarray(scores), dtype=np.float64)


def shares(boxes: NDArray[Any], width: float, height: float) -> NDArray[np.float64]:
    """Return the share of the picture that each box (n, 4) covers, between 0 and 1."""
    return np.clip(area(np.asarray(boxes, dtype=np.float64)) / (width * height), 0, 1)


def with_size(distances: NDArray[Any], sizes: NDArray[Any], weight: float) -> NDArray[np.float64]:
    """Return (1 - w) D + w (1 - size) of each region."""
    return np.asarray((1 - weight) * np.asarray(distances) + weight * (1 - np.asarray(sizes)), dtype=np.float64)


def weight_of(types: Sequence[str], weights: Mapping[str, float], default: float = OTHERS) -> float:
    """Return the weight of a phrase's first type; the default for a type without weight or no type."""
    return weights.get(types[0], default) if types else default


def with_color(
    distances: NDArray[Any],
    sizes: NDArray[Any],
    scores: NDArray[Any] | None,
    *,
    size_weight: float,
    color_weight: float,
) -> NDArray[np.float64]:
    """Return (1 - ws - wc) D + ws (1 - size) + wc (1 - score) of each region; equation 2 if `scores` is None.

    Raises ValueError for weights whose sum is above 1.
    """
    if scores is None:
        return with_size(distances, sizes, size_weight)
    if size_weight + color_weight > 1 + 1e-12:
        raise ValueError(f"The weights of size and colour, {size_weight} and {color_weight}, sum to more than 1.")
    rest = (1 - size_weight - color_weight) * np.asarray(distances)
    return np.asarray(
        rest + size_weight * (1 - np.asarray(sizes)) + color_weight * (1 - np.asarray(scores)), dtype=np.float64
    )


Colors = ColorClassifier | RegionFile


@dataclass(frozen=True)
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

    @cached_property
    def base(self) -> Array:
        """The distances of the regions by the embedding and the detector (equation 1)."""
        return with_detector(self.embedding, self.detector)

    def first_is_right(self, size_weight: float, color_weight: float) -> bool:
        """Tell whether the nearest region is right; the first of equally near ones counts."""
        if not len(self.right):
            return False
        full = with_color(self.base, self.sizes, self.color, size_weight=size_weight, color_weight=color_weight)
        return bool(self.right[int(np.argmin(full))])


def row_distances(cues: QueryCues, size_weight: float, color_weight: float) -> dict[str, Array]:
    """Return the distances of the regions in each row of Table 5, by the row's name."""
    base = cues.base
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
    words: Mapping[str, str] = field(default_factory=read_detector_words)
    """The class of each head noun."""
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
    for image, image_queries in grouped([query for query, _ in found]):
        rows.append(region_colors(photographs.maps(image), np.array([query.gold for query in image_queries])))
        colors += [names[query.key] for query in image_queries]
    return fit_color_classifier(np.concatenate(rows), colors)
