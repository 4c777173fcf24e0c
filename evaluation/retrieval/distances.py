"""Image-sentence distances [paper 4.2, equations 4 and 5, Table 7]: by regions, by the whole image, and recall."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

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
    sums = csr_matrix((np.ones(len(columns)), columns, np.concatenate([[0], np.cumsum(lengths)])), shape=shape) @ best
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
