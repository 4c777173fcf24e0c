"""The outcome of predictions: the rank of the first hit of each query, and the overlap of its first box."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.localization.queries import Query
from evaluation.reading.picture import TYPES, Box
from evaluation.scoring.iou import nms, paired_iou
from evaluation.scoring.recall import HIT, KS

Key = tuple[str, int, int]


MERGED, ANY = "merged", "any"
PROTOCOLS = (MERGED, ANY)
"""The box to hit of a phrase with several: the one around all of them [paper 4.1.1], or any, as MDETR prints first."""
COLUMNS = tuple(f"R@{k}" + (f".{kind}" if kind else "") for kind in ("", *TYPES) for k in KS)
"""The figures for which intervals are drawn, in the order of the columns of `per_image`."""


@dataclass(frozen=True)
class Outcome:
    """The queries in their order; arrays have one entry a query."""

    queries: Sequence[Query]
    firsts: Sequence[Box | None]
    """The first box, or None where nothing was predicted."""
    ranks: np.ndarray
    """The rank of the first hit, from 1; 0 for none."""
    overlaps: np.ndarray
    """The overlap of the first box with the gold box."""

    @cached_property
    def per_image(self) -> tuple[np.ndarray, np.ndarray]:
        """Return hits and queries of each image, of shape (images, len(COLUMNS))."""
        names = {name: i for i, name in enumerate(dict.fromkeys(query.image for query in self.queries))}
        places = np.array([names[query.image] for query in self.queries])
        groups = [np.ones(len(places), dtype=bool)]
        groups += [np.array([kind in query.types for query in self.queries]) for kind in TYPES]
        hits, sizes = [], []
        for group in groups:
            for k in KS:
                hit = group & (self.ranks > 0) & (self.ranks <= k)
                hits.append(np.bincount(places, weights=hit, minlength=len(names)))
                sizes.append(np.bincount(places, weights=group, minlength=len(names)))
        return np.stack(hits, axis=1), np.stack(sizes, axis=1)


def outcome_of(
    queries: Sequence[Query],
    boxes: Mapping[Key, Sequence[Box]],
    suppress: float | None = None,
    protocol: str = MERGED,
) -> Outcome:
    """Return the outcome of these boxes, the best first.

    `suppress`: the overlap of non-maximum suppression, if any. `protocol`: one of PROTOCOLS.
    """
    ranked = [boxes.get(query.key, ()) for query in queries]
    if suppress is not None:
        ranked = [_suppressed(own, suppress) for own in ranked]
    counts = np.array([len(own) for own in ranked], dtype=int)
    owner = np.repeat(np.arange(len(queries)), counts)
    flat = np.array([box for own in ranked for box in own], dtype=float).reshape(-1, 4)
    overlaps = np.zeros(len(flat))
    for gold in _golds(queries, protocol):
        overlaps = np.maximum(overlaps, paired_iou(flat, gold[owner]))
    begins = np.cumsum(counts) - counts
    first = np.zeros(len(queries))
    first[counts > 0] = overlaps[begins[counts > 0]]
    ranks = np.zeros(len(queries), dtype=int)
    hits = np.flatnonzero(overlaps >= HIT)[::-1]  # backwards, so that the first hit of a query is written last
    ranks[owner[hits]] = hits - begins[owner[hits]] + 1
    return Outcome(queries, [own[0] if own else None for own in ranked], ranks, first)


def _golds(queries: Sequence[Query], protocol: str) -> Iterator[np.ndarray]:
    """Yield one gold box of each query at a time, of shape (queries, 4); those with fewer boxes repeat their first."""
    every = [query.boxes or (query.gold,) if protocol == ANY else (query.gold,) for query in queries]
    for place in range(max(map(len, every), default=0)):
        yield np.array([own[place] if place < len(own) else own[0] for own in every], dtype=float).reshape(-1, 4)


def _suppressed(boxes: Sequence[Box], threshold: float) -> Sequence[Box]:
    if len(boxes) < 2:
        return boxes
    return [boxes[i] for i in nms(np.array(boxes), np.arange(len(boxes)), threshold)]
