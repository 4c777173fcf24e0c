"""The best region of each image for each phrase [paper 4.2]: the least distance of the full model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.language import Tagged
from evaluation.localization.cues.colors import color_of_phrase
from evaluation.localization.cues.detector_class import detector_class
from evaluation.localization.cues.distances import shares
from evaluation.localization.cues.scorer import Scorer, Sources
from evaluation.localization.cues.weights import Weights
from evaluation.localization.embedding.builtin_features import region_colors
from evaluation.localization.embedding.cca import cosine_distances
from evaluation.localization.embedding.region_file import RegionFile
from evaluation.localization.embedding.task import EmbeddingData
from evaluation.reading.picture import Phrase, Picture


@dataclass(frozen=True, slots=True)
class Phrases:
    """Distinct phrases (words and types), and the rows of each sentence."""

    distinct: list[Phrase]
    tagged: list[Tagged]
    sentences: list[list[int]]
    image_of_sentence: list[int]


def phrases_of(task: EmbeddingData, pictures: Iterable[Picture]) -> Phrases:
    """Return the phrases of all captions, those that are not visual included, as the paper does here."""
    rows: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
    found = Phrases([], [], [], [])
    for place, picture in enumerate(pictures):
        for caption in picture.captions:
            line = []
            for phrase in caption.phrases:
                key = (tuple(word.lower() for word in phrase.words), phrase.types)
                if key not in rows:
                    rows[key] = len(found.distinct)
                    found.distinct.append(phrase)
                    found.tagged.append(task.words[picture.name, phrase.caption, phrase.number])
                line.append(rows[key])
            found.sentences.append(line)
            found.image_of_sentence.append(place)
    return found


@dataclass(frozen=True, slots=True)
class BestRegions:
    """Everything about the phrases that does not depend on the image."""

    task: EmbeddingData
    scorer: Scorer
    sources: Sources
    projected: NDArray[np.float32]
    size_weights: NDArray[np.float64]
    color_weights: NDArray[np.float64]
    kinds: tuple[str | None, ...]
    """The class of each phrase's detector."""
    colors: tuple[str | None, ...]

    def of(self, picture: Picture) -> NDArray[np.float64]:
        """Return the least distance of any region of the picture, for each phrase; 1 for a picture without regions."""
        boxes = self.task.regions.boxes[picture.name]
        if not len(boxes):
            return np.ones(len(self.projected))
        regions = self.scorer.model.regions(self.task.features.of(picture.name, boxes))
        base = cosine_distances(self.projected, regions)
        if self.sources.detectors is not None:
            for kind, rows in _places(self.kinds).items():
                scores = self.sources.detectors.column(kind, picture.name, boxes)
                if scores is not None:
                    base[rows] = 0.5 * base[rows] + 0.5 * (1 - scores)
        sizes = 1 - shares(boxes, picture.width, picture.height)
        rest = np.ones(len(base)) - self.size_weights
        extra = np.zeros_like(base)
        for color, scores in self._colors(picture, boxes).items():
            rows = _places(self.colors)[color]
            weights = self.color_weights[rows]
            rest[rows] -= weights
            extra[rows] = weights[:, None] * (1 - scores)
        full = rest[:, None] * base + self.size_weights[:, None] * sizes + extra
        return np.asarray(full.min(axis=1), dtype=np.float64)

    def _colors(self, picture: Picture, boxes: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the scores of each colour that a phrase names, for the boxes."""
        colors = self.scorer.colors
        if colors is None:
            return {}
        named = _places(self.colors)
        if isinstance(colors, RegionFile):
            found = {color: colors.column(color, picture.name, boxes) for color in named}
        else:
            assert self.sources.photographs is not None
            features = region_colors(self.sources.photographs.maps(picture.name), boxes)
            found = {color: colors.column(color, features) for color in named}
        return {color: scores for color, scores in found.items() if scores is not None}


def best_regions(
    task: EmbeddingData, scorer: Scorer, sources: Sources, weights: Weights, phrases: Phrases
) -> BestRegions:
    """Project the phrases and note their weights, detectors and colours."""
    pairs = np.array([weights.of(phrase.types) for phrase in phrases.distinct]).reshape(-1, 2)
    return BestRegions(
        task=task,
        scorer=scorer,
        sources=sources,
        projected=scorer.model.phrases(phrases.tagged),
        size_weights=pairs[:, 0],
        color_weights=pairs[:, 1],
        kinds=tuple(detector_class(phrase.words, sources.words) for phrase in phrases.distinct),
        colors=tuple(color_of_phrase(phrase.words, phrase.types) for phrase in phrases.distinct),
    )


def _places(names: Sequence[str | None]) -> dict[str, NDArray[np.int64]]:
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name is not None:
            found.setdefault(name, []).append(place)
    return {name: np.array(places, dtype=np.int64) for name, places in found.items()}
