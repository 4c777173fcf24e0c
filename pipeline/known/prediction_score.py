"""Prediction score [beyond paper 3.3]: how often what a program predicts is right, with an interval.

What counts are outcomes: boxes that were tried and kept, phrases whose boxes are known, pairs of phrases whose chains
are known. Boxes and pairs of one image are alike, so that many of them tell less than as many of different images: the
interval is as wide as the differences between the images make it.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Any, NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.transitivity import LinkMention, can_corefer
from pipeline.known.known_answer import RIGHT_IOU
from pipeline.protocol.tasks.task import Task
from runtime.intervals import OF_PROGRAMS, IntervalEstimate, wilson
from workers.rules.score import Score, ScoreRule, below

SCORED = (Task.BOX_DRAWING, Task.COREFERENCE_LINK)
"""The tasks that a prediction can answer."""
MIN_OUTCOMES = 30
"""Outcomes of a task before a program's score is held against the minimum."""
LEAST_TRIED = 10
"""Boxes that were tried, before they count instead of the phrases whose boxes are known."""
FEWEST_IMAGES = 5
"""Images before their differences say anything."""


class ScoreStatus(StrEnum):
    """The standing of a program on a task."""

    UNKNOWN = "too few known answers"
    BELOW = "below the minimum"
    ABOVE = "at the minimum or above"


class Basis(StrEnum):
    """The outcomes that a quality is a share of."""

    TRIED = "boxes that were tried"
    PHRASES = "phrases whose boxes are known"
    PAIRS = "pairs of phrases whose chains are known"


class PredictionQuality(NamedTuple):
    """Outcomes of predictions."""

    basis: Basis
    right: int
    total: int
    share: IntervalEstimate
    """The share of right ones, with the 90 % interval of the share of the next."""

    @property
    def score(self) -> Score:
        return Score(self.right, self.total)


class Truth(NamedTuple):
    """The known chains of one image."""

    chain_of: Mapping[int, Any]
    """The chain of each mention."""
    boxes: Mapping[Any, Sequence[Box]]
    """The boxes of each chain that has some."""
    mentions: Sequence[LinkMention] = ()


def quality_of(basis: Basis, images: Iterable[tuple[int, int]]) -> PredictionQuality | None:
    """Return the quality by the right outcomes and all outcomes of each image; None without outcomes."""
    counts = [count for count in images if count[1]]
    right, total = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if not total:
        return None
    worth = 1 / _inflation(counts, right / total)
    return PredictionQuality(basis, right, total, wilson(right * worth, total * worth, OF_PROGRAMS))


def _inflation(counts: Sequence[tuple[int, int]], share: float) -> float:
    """Return how many outcomes tell as much as one that is independent of all others; at least 1."""
    number, total = len(counts), sum(size for _, size in counts)
    if number < FEWEST_IMAGES or share in (0.0, 1.0):
        return 1.0
    spread = number / (number - 1) * sum((right - share * size) ** 2 for right, size in counts)
    return max(1.0, spread / (share * (1 - share) * total))


def box_quality(tried: Sequence[tuple[int, int]], known: Sequence[tuple[int, int]]) -> PredictionQuality | None:
    """Return the one quality of boxes. `tried`: kept and tried boxes of each image; `known`: right phrases and all.

    What became of boxes counts as soon as enough were tried. Before that, known boxes tell more.
    """
    outcomes, foreseen = quality_of(Basis.TRIED, tried), quality_of(Basis.PHRASES, known)
    if foreseen is None or (outcomes is not None and outcomes.total >= LEAST_TRIED):
        return outcomes
    return foreseen


def right_boxes(rows: Iterable[Sequence[int]], truth: Truth) -> tuple[int, int]:
    """Return for how many phrases the program's best box is one of the chain's, of those whose chain has boxes.

    `rows`: [mention, x0, y0, x1, y1], a score or none behind, the best of a mention first.
    """
    best: dict[int, Box] = {}
    for mention, *edges in (row[:5] for row in rows):
        best.setdefault(mention, Box(*edges))
    found = [(box, truth.boxes.get(truth.chain_of.get(mention), ())) for mention, box in best.items()]
    asked = [(box, there) for box, there in found if there]
    return sum(any(iou(box, truth) >= RIGHT_IOU for truth in there) for box, there in asked), len(asked)


def right_links(chains: Sequence[Sequence[int]], truth: Truth) -> tuple[int, int]:
    """Return for how many pairs the program is right about whether they are one thing, of those that it says it of.

    Only pairs count that workers can be asked about.
    """
    said = {mention: place for place, chain in enumerate(chains) for mention in chain}
    placed = [mention for mention in truth.mentions if mention.number in said and mention.number in truth.chain_of]
    pairs = [(a.number, b.number) for a, b in combinations(placed, 2) if can_corefer(a, b)]
    chain = truth.chain_of
    return sum((said[a] == said[b]) == (chain[a] == chain[b]) for a, b in pairs), len(pairs)


def score_status(score: Score, minimum: float, rule: ScoreRule) -> ScoreStatus:
    """Return the standing that follows from a score."""
    if score.total < MIN_OUTCOMES:
        return ScoreStatus.UNKNOWN
    return ScoreStatus.BELOW if below(score, minimum, rule) else ScoreStatus.ABOVE
