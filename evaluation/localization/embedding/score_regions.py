"""Scoring a model: distances of the regions of each query, and the ranks of first hits."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.embedding.cosine_distance import cosine_distances
from evaluation.localization.embedding.region_phrase_model import RegionPhraseModel
from evaluation.localization.embedding.task import Task
from evaluation.localization.queries import Query
from evaluation.scoring.nms import nms
from evaluation.scoring.recall import first_hit


def distances(task: Task, model: RegionPhraseModel, images: Sequence[str]) -> Iterator[tuple[Query, NDArray[Any]]]:
    """Yield the queries of the images, each with the distances (n) of its image's regions."""
    for image in images:
        queries = task.by_image.get(image, [])
        if not queries:
            continue
        boxes = task.regions.boxes[image]
        regions = model.regions(task.features.of(image, boxes)) if len(boxes) else np.zeros((0, 1))
        phrases = model.phrases([task.words[query.key] for query in queries])
        found = cosine_distances(phrases, regions) if len(boxes) else np.zeros((len(queries), 0))
        yield from zip(queries, found, strict=True)


def rank(task: Task, query: Query, regions: NDArray[Any]) -> int:
    """Return the rank of the first right region after suppression, 0 for none. `regions`: their distances (n)."""
    boxes = task.regions.boxes[query.image]
    return first_hit(boxes[nms(boxes, regions)], query.gold)
