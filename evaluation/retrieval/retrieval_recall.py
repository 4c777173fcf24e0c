"""Retrieval recall [paper 4.2, Table 7]: the share of queries with one of their own among the first K."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.scoring.recall import KS, recall_at


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
