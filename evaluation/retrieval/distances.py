"""Image-sentence distances [paper 4.2, equations 4 and 5, Table 7]: by the best regions, by the whole image; recall."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.language import Tagged
from evaluation.localization.cues.cues_step import Weights
from evaluation.localization.cues.scorer import Scorer, Sources, color_of_phrase, detector_class, shares
from evaluation.localization.embedding.cca import cosine_distances
from evaluation.localization.embedding.embedding_step import EmbeddingData
from evaluation.localization.embedding.features import RegionFile, region_colors
from evaluation.optional import need
from evaluation.reading.picture import Picture, PicturePhrase
from evaluation.scoring.recall import KS, recall_at

GAMMA = 1.5
ALPHA = 0.7


def region_phrase_distances(
    best: NDArray[Any], sentences: Sequence[Sequence[int]], gamma: float = GAMMA
) -> NDArray[np.float64]:
    """Return sum / L ** gamma over the L phrases of each sentence, for each image: shape (sentences, images).

    `best`: the least distance of any region, shape (phrases, images); sentences hold rows of it, repeated ones
    repeated. The distance of a sentence without phrases is 1 (decided: it tells nothing).
    """
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    columns = np.array([row for sentence in sentences for row in sentence], dtype=np.int64)
    shape = (len(sentences), len(best))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    bags = need("scipy.sparse", "comparing sentences").csr_matrix((np.ones(len(columns)), columns, starts), shape=shape)
    sums = bags @ best
    divided = np.asarray(sums, dtype=np.float64) / np.maximum(lengths, 1)[:, None] ** gamma
    divided[lengths == 0] = 1
    return divided


def combined_distances(whole: NDArray[Any], regions: NDArray[Any], alpha: float = ALPHA) -> NDArray[np.float64]:
    """Return alpha x whole + (1 - alpha) x regions, both of shape (sentences, images)."""
    return np.asarray(alpha * np.asarray(whole) + (1 - alpha) * np.asarray(regions), dtype=np.float64)


def first_own_ranks(distances: NDArray[Any], own: Sequence[int], queries: Sequence[int]) -> NDArray[np.int64]:
    """Return for each query, a row of `distances` (q, n), the rank from 1 of the first item of its group; 0 for none.

    `own`: the group of each item; `queries`: that of each query. Of equally near items the first comes first.
    """
    groups = np.asarray(own)
    ranks = np.zeros(len(distances), dtype=np.int64)
    for row, group in enumerate(queries):
        line = distances[row]
        mine = np.flatnonzero(groups == group)
        if len(mine):
            best = mine[np.argmin(line[mine])]
            ranks[row] = 1 + np.count_nonzero(line < line[best]) + np.count_nonzero(line[:best] == line[best])
    return ranks


def both_ways(distances: NDArray[Any], images: Sequence[int]) -> dict[str, float]:
    """Return R@1, R@5, R@10 in percent of sentences (rows) to images (columns), and of images to sentences.

    `images`: the column to which each sentence belongs. A hit of an image is any of its sentences.
    """
    count = distances.shape[1]
    search = first_own_ranks(distances, range(count), images)
    annotation = first_own_ranks(distances.T, images, range(count))
    found = {f"search.R@{k}": recall_at(search, k) for k in KS}
    return found | {f"annotation.R@{k}": recall_at(annotation, k) for k in KS}


@dataclass(frozen=True, slots=True)
class Phrases:
    """Distinct phrases (words and types), and the rows of each sentence."""

    distinct: list[PicturePhrase]
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
