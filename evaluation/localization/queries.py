"""Queries [paper 4.1.2, 4.1.4, Fig. 9] and their outcome: ranks of first hits, and the causes of wrong first boxes.

Every mention with a box is a query.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evaluation.reading.picture import TYPES, Box, Picture, PicturePhrase
from evaluation.report import Cell, Report, add_bars, add_matrix
from evaluation.scoring import HIT, KS, iou, members, nms, paired_iou, recall_figures
from evaluation.work import StepWork

PIXELS, PRINTED = "pixels", "printed"
EDGES = (PIXELS, PRINTED)
"""The edges of gold boxes: around all their pixels, or the numbers that annotation files print."""


@dataclass(frozen=True, slots=True)
class Query:
    """A phrase whose box is to be found. Mentions that are not visual, or without a box, are none."""

    image: str
    size: tuple[int, int]
    """Width and height of the image in pixels."""
    phrase: PicturePhrase
    gold: Box
    boxes: tuple[Box, ...] = ()
    """The chain's boxes; `gold` is the smallest box around them. Empty: it has that one alone."""

    @property
    def key(self) -> tuple[str, int, int]:
        """Return image, caption and phrase, as a line of predictions names them."""
        return self.image, self.phrase.caption, self.phrase.number

    @property
    def types(self) -> tuple[str, ...]:
        """Return the types of the phrase, in the order of the file."""
        return self.phrase.types


def queries_of(pictures: Iterable[Picture]) -> list[Query]:
    """Return the queries in the order of images, captions and phrases."""
    return [
        Query(
            picture.name,
            (picture.width, picture.height),
            phrase,
            picture.gold[phrase.chain],
            tuple(picture.boxes[phrase.chain]),
        )
        for picture in pictures
        for caption in picture.captions
        for phrase in caption.phrases
        if phrase.chain in picture.gold
    ]


def as_printed(picture: Picture) -> Picture:
    """Return the picture with the edges of its boxes as annotation files print them: xmin, ymin, xmax, ymax."""
    boxes = {chain: [(x0 + 1, y0 + 1, x1, y1) for x0, y0, x1, y1 in box] for chain, box in picture.boxes.items()}
    return Picture(picture.name, picture.width, picture.height, picture.captions, boxes)


def query_counts(queries: Iterable[Query]) -> dict[str, float]:
    """Return the number of queries, and of each type. A query of two types counts in both [paper 4.1.3, Table 6]."""
    counts: dict[str, float] = dict.fromkeys(TYPES, 0)
    total = 0
    for query in queries:
        total += 1
        for kind in set(query.types) & counts.keys():
            counts[kind] += 1
    return {"queries": total} | {f"queries.{kind}": count for kind, count in counts.items()}


Key = tuple[str, int, int]


MERGED, ANY = "merged", "any"
PROTOCOLS = (MERGED, ANY)
"""The box to hit of a phrase with several: the one around all of them [paper 4.1.1], or any, as MDETR prints first."""
COLUMNS = tuple(f"R@{k}" + (f".{kind}" if kind else "") for kind in ("", *TYPES) for k in KS)
"""The figures for which intervals are drawn, in the order of the columns of `per_image`."""


@dataclass(frozen=True)
class QueryOutcome:
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
    queries: Sequence[Query], boxes: Mapping[Key, Sequence[Box]], suppress: float | None = None, protocol: str = MERGED
) -> QueryOutcome:
    """Return the outcome of these boxes, the best first.

    `suppress`: the overlap of non-maximum suppression, if any. `protocol`: one of PROTOCOLS.
    """
    ranked = [boxes.get(query.key, ()) for query in queries]
    if suppress is not None:
        ranked = [_suppressed(boxes, suppress) for boxes in ranked]
    counts = np.array([len(boxes) for boxes in ranked], dtype=int)
    owner = np.repeat(np.arange(len(queries)), counts)
    flat = np.array([box for boxes in ranked for box in boxes], dtype=float).reshape(-1, 4)
    overlaps = np.zeros(len(flat))
    for gold in _golds(queries, protocol):
        overlaps = np.maximum(overlaps, paired_iou(flat, gold[owner]))
    begins = np.cumsum(counts) - counts
    first = np.zeros(len(queries))
    first[counts > 0] = overlaps[begins[counts > 0]]
    ranks = np.zeros(len(queries), dtype=int)
    hits = np.flatnonzero(overlaps >= HIT)[::-1]  # backwards, so that the first hit of a query is written last
    ranks[owner[hits]] = hits - begins[owner[hits]] + 1
    return QueryOutcome(queries, [boxes[0] if boxes else None for boxes in ranked], ranks, first)


def _golds(queries: Sequence[Query], protocol: str) -> Iterator[np.ndarray]:
    """Yield one gold box of each query at a time, of shape (queries, 4); those with fewer boxes repeat their first."""
    every = [query.boxes or (query.gold,) if protocol == ANY else (query.gold,) for query in queries]
    for place in range(max(map(len, every), default=0)):
        yield np.array([boxes[place] if place < len(boxes) else boxes[0] for boxes in every], dtype=float).reshape(
            -1, 4
        )


def _suppressed(boxes: Sequence[Box], threshold: float) -> Sequence[Box]:
    if len(boxes) < 2:
        return boxes
    return [boxes[i] for i in nms(np.array(boxes), np.arange(len(boxes)), threshold)]


CONVENTION_LABELS = {
    MERGED: "the one box around all boxes of the phrase",
    ANY: "any box of the phrase",
    "pixels": "of all pixels",
    PRINTED: "as files print them",
}
USED = {
    (MERGED, "pixels"): "",
    (MERGED, PRINTED): "Plummer et al. 2015, 2017; MDETR's second figure",
    (ANY, "pixels"): "",
    (ANY, PRINTED): "MDETR's first figure, and papers after it",
}
"""The papers that print figures of a protocol with these edges."""


def add_protocols(
    report: Report, queries: Mapping[str, Sequence[Query]], boxes: Mapping[Key, Sequence[Box]], work: StepWork
) -> None:
    """Add recall by both protocols and both kinds of edges.

    `queries`: by EDGES. The figures of the report are those of the options; the other protocol's stand behind its name
    (`any.R@1`), those of the other edges, too (`printed.R@1`).
    """
    chosen, edges, suppress = (work.options[name] for name in ("protocol", "edges", "nms"))
    rows: list[list[Cell]] = []
    found: dict[tuple[str, str], dict[str, float]] = {}
    for protocol in PROTOCOLS:
        for edge in EDGES:
            outcome = outcome_of(queries[edge], boxes, suppress, protocol)
            found[protocol, edge] = recall_figures(outcome.ranks, members([query.types for query in outcome.queries]))
            recall = [found[protocol, edge][f"R@{k}"] for k in KS]
            rows.append([protocol, CONVENTION_LABELS[protocol], CONVENTION_LABELS[edge], *recall, USED[protocol, edge]])
    columns = ["protocol", "a hit overlaps", "edges of gold boxes", *(f"R@{k}" for k in KS), "printed by"]
    report.table("protocols", "Recall by protocol, %: compare figures of one row only", columns, rows)
    other, other_edges = (PROTOCOLS[chosen == PROTOCOLS[0]], EDGES[edges == EDGES[0]])
    report.put(found[other, edges], f"{other}.")
    report.put(found[chosen, other_edges], f"{other_edges}.")
    report.notes.append(_sentence(chosen, edges, found[chosen, edges], found[chosen, other_edges]))


def _sentence(protocol: str, edges: str, ours: Mapping[str, float], others: Mapping[str, float]) -> str:
    moved = {kind: abs(ours[f"R@1.{kind}"] - others[f"R@1.{kind}"]) for kind in TYPES if f"R@1.{kind}" in ours}
    most = max(moved, key=lambda kind: moved[kind], default="")
    in_type = f", by {moved[most]:.2f} for {most}" if most else ""
    return (
        f"A hit overlaps {CONVENTION_LABELS[protocol]} by 0.5 or more ({protocol}); the edges of gold boxes are "
        f"{CONVENTION_LABELS[edges]} "
        f"({edges}). Of two papers with different protocols or edges the figures are not comparable: on these "
        f"predictions the other edges alone move R@1 by {abs(ours['R@1'] - others['R@1']):.2f} points{in_type}."
    )


PARTIAL = 0.1
"""The least overlap of a box that is partly right."""
CLASSES = ("correct", "no proposal", "confused", "partial", "elsewhere")
CLASS_LABELS = {
    "correct": "correct",
    "no proposal": "no proposal had it",
    "confused": "confused with another phrase",
    "partial": "partly right",
    "elsewhere": "elsewhere",
}


class JudgedBox(NamedTuple):
    """The first box of a query: its class, its overlap with the gold box, and the types it hit instead."""

    kind: str
    overlap: float
    hit_types: tuple[tuple[str, ...], ...] = ()
    """The types of each box that was hit; a box of several chains has the types of all."""


class Surroundings(NamedTuple):
    """The gold boxes of an image: chain, box, and the types of the chain's mentions."""

    chains: tuple[str, ...]
    boxes: np.ndarray
    types: tuple[tuple[str, ...], ...]


def surroundings(picture: Picture) -> Surroundings:
    """Return the gold boxes of the chains that a caption mentions."""
    types: dict[str, set[str]] = defaultdict(set)
    for caption in picture.captions:
        for phrase in caption.phrases:
            if phrase.chain in picture.gold:
                types[phrase.chain].update(phrase.types)
    chains = tuple(types)
    boxes = np.array([picture.gold[chain] for chain in chains], dtype=float).reshape(-1, 4)
    return Surroundings(
        chains, boxes, tuple(tuple(type_ for type_ in TYPES if type_ in types[chain]) for chain in chains)
    )


def judge(box: Box | None, chain: str, around: Surroundings, *, was_proposed: bool = True) -> JudgedBox:
    """Judge the first box of a query of this chain. `was_proposed`: whether any proposal hits the gold box.

    The first class that applies counts, in the order correct, no proposal, confused, partial, elsewhere. Without a
    box the query is elsewhere.
    """
    if box is None:
        return JudgedBox("elsewhere" if was_proposed else "no proposal", 0.0)
    return judge_overlaps(overlaps_of(box, around), chain, around, was_proposed=was_proposed)


def overlaps_of(box: Box, around: Surroundings) -> list[float]:
    found: list[float] = iou(np.array([box]), around.boxes)[0].tolist()
    return found


def judge_overlaps(
    overlaps: Sequence[float], chain: str, around: Surroundings, *, was_proposed: bool = True
) -> JudgedBox:
    """Judge a box by its overlaps with the gold boxes, as `judge` does."""
    place = around.chains.index(chain)
    own = overlaps[place]
    if own >= HIT:
        return JudgedBox("correct", own)
    hit = [i for i, overlap in enumerate(overlaps) if overlap >= HIT and i != place]
    by_box: dict[tuple[float, ...], set[str]] = defaultdict(set)
    for i in hit:
        by_box[tuple(around.boxes[i])].update(around.types[i])
    types = tuple(tuple(sorted(box_types)) for box_types in by_box.values())
    if not was_proposed:
        return JudgedBox("no proposal", own, types)
    if hit:
        return JudgedBox("confused", own, types)
    return JudgedBox("partial" if own >= PARTIAL else "elsewhere", own)


def class_shares(judged: Sequence[JudgedBox]) -> dict[str, float]:
    """Return the percentage of each class (Fig. 9a)."""
    return {kind: 100 * sum(query.kind == kind for query in judged) / max(1, len(judged)) for kind in CLASSES}


def confusion_matrix(rows: Iterable[tuple[tuple[str, ...], JudgedBox]]) -> np.ndarray:
    """Return the counts of confused queries: rows are types of the phrase, columns types of the box hit (Fig. 9b).

    A box counts once for each type of its chains.
    """
    counts = np.zeros((len(TYPES), len(TYPES)), dtype=int)
    place: Mapping[str, int] = {kind: i for i, kind in enumerate(TYPES)}
    for types, judged in rows:
        if judged.kind != "confused":
            continue
        for kind in types:
            for other in (type_ for box in judged.hit_types for type_ in box):
                counts[place[kind], place[other]] += 1
    return counts


def add_errors(report: Report, judged: Sequence[tuple[tuple[str, ...], JudgedBox]], prefix: str = "") -> None:
    """Add the shares of the classes as figures, and figures 9a and 9b with their tables."""
    shares = class_shares([query for _, query in judged])
    report.put({f"errors.{kind.replace(' ', '_')}": share for kind, share in shares.items()}, prefix)
    kinds = [kind for kind in CLASSES if shares[kind]]
    values = [shares[kind] for kind in kinds]
    names = [CLASS_LABELS[kind] for kind in kinds]
    report.table("figure_9a", "First boxes by class (Fig. 9a)", ["class", "%"], list(zip(names, values, strict=True)))
    title = "First boxes by class (Fig. 9a)"
    add_bars(report, "figure_9a", title, names, {"share": values}, "share of phrases, %", size=(7.0, 2.6))
    counts = confusion_matrix(judged)
    rows: list[list[Cell]] = [[kind, *(int(count) for count in counts[i])] for i, kind in enumerate(TYPES)]
    report.table(
        "figure_9b",
        "Confused phrases: type of the phrase (row), of the box that was hit (column)",
        ["type", *TYPES],
        rows,
    )
    title, hit = "Confused phrases by type, share of a row in % (Fig. 9b)", "type of the box that was hit"
    add_matrix(report, "figure_9b", title, counts, TYPES, "type of the phrase", hit, (6.0, 5.4))
