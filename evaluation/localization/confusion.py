"""Confusion [paper 4.1.4, Fig. 9]: the cause of each wrong first box, and the type that was hit instead."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.charts import add_bars, add_matrix
from evaluation.reading.picture import TYPES, Box, Picture
from evaluation.report import Cell, Report
from evaluation.scoring.boxes import HIT, iou

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
