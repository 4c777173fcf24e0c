"""The step `sentences` [paper 4.2, Table 7]: images find sentences and sentences find images.

By the whole image (CCA), by regions and phrases (equation 4), and by both (equation 5).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evaluation.language import Tagged, tagged
from evaluation.localization.cues.cues_step import Weights, cues_of_unseen, fit_weights, paper_weights, sources_of_step
from evaluation.localization.cues.scorer import Sources, fit_scorer
from evaluation.localization.embedding.cca import cosine_distances, fit_model
from evaluation.localization.embedding.embedding_step import EmbeddingData, describe, task_of_step
from evaluation.reading.picture import Picture
from evaluation.report import Cell, Report
from evaluation.retrieval.distances import (
    best_regions,
    both_ways,
    combined_distances,
    phrases_of,
    region_phrase_distances,
)
from evaluation.work import StepWork

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
