"""The step `sentences` [paper 4.2, equations 4 and 5, Table 7]: images find sentences and sentences find images.

By the whole image (CCA), by regions and phrases (equation 4), and by both (equation 5).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.language import Tagged, tagged
from evaluation.localization.cue_scorer import Scorer, Sources, color_of_phrase, detector_class, fit_scorer, shares
from evaluation.localization.cues_step import Weights, cues_of_unseen, fit_weights, paper_weights, sources_of_step
from evaluation.localization.embedding.cca import cosine_distances, fit_model
from evaluation.localization.embedding.embedding_step import EmbeddingData, describe, task_of_step
from evaluation.localization.embedding.features import RegionFile, region_colors
from evaluation.optional import need
from evaluation.reading.picture import Picture, PicturePhrase
from evaluation.report import Cell, Report
from evaluation.scoring.boxes import KS, recall_at
from evaluation.work import StepWork

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


NETWORK = "photographs, or features of whole images and regions of a network (--features)"
PAPER = {
    "whole": (24.7, 53.4, 66.8, 36.5, 62.2, 73.3),
    "weighted_embedding": (25.7, 54.5, 67.6, 37.0, 62.9, 73.9),
    "weighted": (25.8, 54.7, 67.6, 37.5, 62.9, 75.1),
}
"""Table 7 (b) and (c): image search, then image annotation, R@1, R@5, R@10; with VGG19 on 1,000 images."""


def sentences(work: StepWork) -> Report:
    """Fit both models on the images to fit on, and retrieve among the others."""
    task = task_of_step(work)
    pictures = [task.pictures[name] for name in task.test]
    phrases = phrases_of(task, pictures)
    sources = sources_of_step(work, task)
    weights = paper_weights() if work.options["paper_weights"] else fit_weights(cues_of_unseen(task, sources))
    gamma, alpha = float(work.options["gamma"]), float(work.options["alpha"])
    scorer = fit_scorer(task, task.fit, sources)
    plain = Weights(dict.fromkeys(weights.sizes, 0.0), dict.fromkeys(weights.colors, 0.0))
    report = Report("Image-sentence retrieval", len(pictures), "images")
    found: dict[str, NDArray[np.float64]] = {}
    rows = {
        "regions_embedding": (replace(scorer, colors=None), Sources(), plain),
        "regions": (scorer, sources, weights),
    }
    for name, (model, cues, row_weights) in rows.items():
        finder = best_regions(task, model, cues, row_weights, phrases)
        best = np.stack([finder.of(picture) for picture in work.progress(pictures, name)], axis=1)
        found[name] = region_phrase_distances(best, phrases.sentences, gamma)
    if task.features.name != "geometry":
        found["whole"] = whole_distances(task, pictures)
        for name in ("regions_embedding", "regions"):
            weighted = name.replace("regions", "weighted")
            found[weighted] = combined_distances(found["whole"], found[name], alpha)
    _report(report, found, phrases.image_of_sentence)
    describe(report, task)
    report.missing = {}
    if task.features.name != "file":
        needs = NETWORK if task.features.name == "geometry" else "features of whole images and regions of a network"
        report.missing = {f"Table 7, {row}": needs for row in ("CCA of whole images", "weighted distances")}
    report.settings |= {"sentences": len(phrases.sentences), "phrases, distinct": len(phrases.distinct)}
    return report


def whole_distances(task: EmbeddingData, pictures: Sequence[Picture]) -> NDArray[np.float64]:
    """Return the distance of each sentence from each whole image: shape (sentences, images)."""
    learned = [task.pictures[name] for name in task.fit]
    rows = [place for place, picture in enumerate(learned) for _ in picture.captions]
    features = np.stack([_whole(task, picture) for picture in learned])
    model = fit_model(task.encoder, list(_captions(learned)), features[rows], outputs=task.outputs, ridge=task.ridge)
    images = model.regions(np.stack([_whole(task, picture) for picture in pictures]))
    return cosine_distances(model.phrases(list(_captions(pictures))), images)


def _whole(task: EmbeddingData, picture: Picture) -> NDArray[np.float32]:
    """Return the features of the whole image, which are those of the box around all of it."""
    return task.features.of(picture.name, np.array([[0, 0, picture.width, picture.height]]))[0]


def _captions(pictures: Sequence[Picture]) -> Iterator[Tagged]:
    yield from tagged(caption.words for picture in pictures for caption in picture.captions)


def _report(report: Report, found: dict[str, NDArray[np.float64]], images: Sequence[int]) -> None:
    rows: list[list[Cell]] = []
    for name, distances in found.items():
        figures = both_ways(distances, images)
        report.put(figures, f"{name}.")
        rows.append([name, *figures.values()])
    columns = ["row", *(f"image search, R@{k}" for k in (1, 5, 10)), *(f"image annotation, R@{k}" for k in (1, 5, 10))]
    report.table("table_7", "Table 7: rows of our own", columns, rows)
    paper: list[list[Cell]] = [[name, *values] for name, values in PAPER.items()]
    report.table("paper", "Table 7 of the paper: 1,000 images, VGG19", columns, paper)
    report.put({"chance.search.R@1": 100 / report.n})
    report.notes.append(
        f"{report.n:,} images and {len(images):,} sentences. Rows that begin with “regions” are equation 4, with the "
        "embedding alone or the full model; “whole” is the CCA of whole images and sentences; “weighted” is "
        "equation 5. The paper has 1,000 images; among fewer, finding the right one is easier."
    )
