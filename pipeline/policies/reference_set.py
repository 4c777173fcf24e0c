"""Checked data sets [beyond paper 3]: what a source says of an image, and what of it stays without a person's answer.

What the source says stays as it is unless somebody's answer, or a program's that judges, speaks against it. Chains that
break the two rules of links are taken as they are: their mentions count as if they stood in different clauses, and
shared their types.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.transitivity import Pair
from belief.boxes.box_prior import BoxPrior
from belief.models.reference import Reference
from pipeline.policies.models import in_audit, trust_in
from pipeline.protocol.boxes.pre_annotations import COVERED
from pipeline.protocol.links.policy import Group, LinkPlan
from pipeline.protocol.links.strategies import PaperLinks
from pipeline.protocol.state.progress import ChainProgress, ImageProgress, PreAnnotation
from pipeline.protocol.tasks.task import Task

SAME_CAPTION_RATIO = 3.0
"""The logarithm of the likelihood ratio, about that of one answer, for two mentions of one caption in a chain.

Nobody can be asked about the two, so text alone must not part them.
"""

SIMILAR_IOU, SAME_IOU = 0.5, 0.8
"""The IOU from which on boxes of two chains are alike, and from which on they are the same.

Boxes that two people draw around one thing mostly lie between, or beyond.
"""
SAME_BOXES_RATIO = 3.0
"""The logarithm of the likelihood ratio of two chains with the same boxes: of one thing, and of two."""

NO_REFERENCE = Reference()
MAX_BOXES_DOUBTED = 3
"""A chain of more boxes is doubted as much as one of so many, and not for each of its boxes anew."""


def same_caption_evidence(progress: ImageProgress, source: Reference) -> dict[Pair, float]:
    """Return the pairs of one caption that the source holds to be one thing, and what that weighs."""
    found = {}
    for chain in progress.program_chains.get(source.program, ()):
        ordered = progress.reading_order(list(chain))
        for place, first in enumerate(ordered):
            for other in ordered[place + 1 :]:
                if progress.mentions[first].caption == progress.mentions[other].caption:
                    found[first, other] = SAME_CAPTION_RATIO
    return found


def _chain_of(progress: ImageProgress, source: Reference) -> dict[int, int]:
    """Return the place of the source's chain that each mention is in."""
    chains = progress.program_chains.get(source.program, ())
    return {number: place for place, chain in enumerate(chains) for number in chain}


class SimilarBoxes(NamedTuple):
    """Two phrases of different chains of the source that have the same boxes, or such that are alike."""

    likeness: float
    """From 0 to 1: their boxes are the same."""
    part: float
    """The part of what two chains tell that falls to this pair of their phrases."""


def pairs_with_similar_boxes(progress: ImageProgress, source: Reference) -> dict[Pair, SimilarBoxes]:
    """Return the pairs of different chains of the source with boxes that are alike and were not taken yet."""
    if not source.program:
        return {}
    of: dict[int, list[Box]] = defaultdict(list)
    for pre_annotation in progress.pre_annotations:
        if pre_annotation.worker == source.program:
            of[pre_annotation.mention].append(pre_annotation.box)
    return similar_boxes_of(
        progress, [(numbers, of[numbers[0]]) for numbers in progress.program_chains.get(source.program, ())]
    )


def similar_boxes_of(
    progress: ImageProgress, chains: Iterable[tuple[Sequence[int], Sequence[Box]]]
) -> dict[Pair, SimilarBoxes]:
    """Return the pairs of different chains with boxes that are alike. `chains`: the mentions and boxes of each."""
    found = {}
    for (chain, boxes), (other, others) in combinations(((numbers, boxes) for numbers, boxes in chains if boxes), 2):
        if likeness := _likeness(boxes, others):
            for pair in product(chain, other):
                first, second = progress.reading_order(list(pair))
                found[first, second] = SimilarBoxes(likeness, 1 / (len(chain) * len(other)))
    return found


def similar_box_evidence(alike: Mapping[Pair, SimilarBoxes], apart: float) -> dict[Pair, float]:
    """Return what equal boxes, and the source that keeps their chains apart, tell of pairs: once for two chains.

    A chain that was split is one error, however many pairs of phrases it parts. `apart`: the logarithm of the
    likelihood ratio of the source's word that two phrases are two things, below 0.
    """
    return {pair: likeness.part * likeness.likeness * (SAME_BOXES_RATIO + apart) for pair, likeness in alike.items()}


def _likeness(boxes: Sequence[Box], others: Sequence[Box]) -> float:
    """Return how much alike the boxes of two chains are: from 0 to 1, where they are the same."""
    if len(boxes) != len(others):
        return 0.0
    least = 1.0
    for box in boxes:
        overlap = max(iou(box, other) for other in others)
        if overlap <= SIMILAR_IOU:
            return 0.0
        least = min(least, overlap)
    return min((least - SIMILAR_IOU) / (SAME_IOU - SIMILAR_IOU), 1.0)


def summed_evidence(*told: Mapping[Pair, float]) -> dict[Pair, float]:
    """Return what several sources tell of pairs: logarithms of likelihood ratios, which add up."""
    found: dict[Pair, float] = defaultdict(float)
    for ratios in told:
        for pair, ratio in ratios.items():
            found[pair] += ratio
    return dict(found)


def changed_links(progress: ImageProgress, chains: Iterable[Sequence[int]], source: Reference) -> list[Pair]:
    """Return the pairs that are together in these chains of a group and apart in the source, or the other way."""
    if not source.program:
        return []
    said = _chain_of(progress, source)
    now = {number: place for place, chain in enumerate(chains) for number in chain}
    pairs = combinations(progress.reading_order(sorted(now.keys() & said.keys())), 2)
    return [
        (first, second) for first, second in pairs if (now[first] == now[second]) is not (said[first] == said[second])
    ]


def misplaced(progress: ImageProgress, source: Reference) -> frozenset[int]:
    """Return the mentions that the source put into one chain though people mostly say that they are two things.

    Either of the two may be the wrong one there.
    """
    chain_of = _chain_of(progress, source)
    found = set[int]()
    for pair, votes in progress.votes_by(model=False).items():
        one, other = (chain_of.get(number) for number in pair)
        if one is not None and one == other and 2 * sum(vote.answer for vote in votes) < len(votes):
            found.update(pair)
    return frozenset(found)


def keeps_apart(image: ImageProgress, chain: int, other: int, source: Reference) -> bool:
    """Return whether two chains with the same boxes are two things: the source has merged its boxes, and kept both."""
    return all(is_of_reference(image, image.chains[name], source) for name in (chain, other))


@dataclass(frozen=True)
class ReferencePaperLinks(PaperLinks):
    """A strategy of the paper where a data set is checked: its source has verified its chains."""

    source: Reference = NO_REFERENCE

    @property
    def labelled_by(self) -> int | None:
        return self.source.program or None

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        plan = super().plan(image, group)
        return replace(plan, placed=tuple(placed._replace(verify=bool(placed.doubt)) for placed in plan.placed))

    def may_join(self, image: ImageProgress, chain: int, other: int) -> bool:
        return not keeps_apart(image, chain, other, self.source)


# --- What a source says of boxes ---


def needs_no_answer(progress: ImageProgress, chain: ChainProgress, source: Reference, boxes: Collection[int]) -> bool:
    """Return whether a chain with these boxes is as the source has it, so that it may stay without an answer."""
    if in_audit(chain) or not is_of_reference(progress, chain, source):
        return False
    own = {number for number, box in progress.boxes.items() if box.chain == chain.name and box.worker == source.program}
    return set(boxes) <= own and len(boxes) == reference_box_count(progress, chain, source)


def reference_boxes(progress: ImageProgress, chain: ChainProgress, source: Reference) -> list[PreAnnotation]:
    """Return the boxes of the source that are to be shown at once, before anything is asked about the chain's boxes."""
    return [] if chain.answers else _left(progress, chain, source, [])


def reference_box_count(progress: ImageProgress, chain: ChainProgress, source: Reference) -> int:
    """Return how many boxes the source has for the phrases of a chain."""
    own = (box for box in progress.boxes.values() if box.chain == chain.name and box.worker == source.program)
    taken = [box.box for box in own if box.pre_annotated]
    return len(taken) + len(_left(progress, chain, source, taken))


def _left(
    progress: ImageProgress, chain: ChainProgress, source: Reference, taken: Sequence[Box]
) -> list[PreAnnotation]:
    """Return the boxes that were not taken yet.

    Boxes of one chain of the source are different ones, however much they overlap. Where its chains were joined, they
    may show the same things twice: of boxes that overlap as `COVERED` says, those of one chain are left.
    """
    if not source.program:
        return []
    part_of = _chain_of(progress, source)
    found: dict[Box, tuple[PreAnnotation, int | None]] = {}
    for pre_annotation in progress.pre_annotations:
        own = pre_annotation.worker == source.program and pre_annotation.mention in chain.mentions
        if own and pre_annotation.box not in found:
            part = part_of.get(pre_annotation.mention)
            others = (box for box, (_, other) in found.items() if other != part)
            if all(iou(pre_annotation.box, box) < COVERED for box in (*taken, *others)):
                found[pre_annotation.box] = pre_annotation, part
    return [pre_annotation for pre_annotation, _ in found.values()]


def trust_in_boxes(source: Reference, types: Collection[str], number: int, prior: BoxPrior) -> float:
    """Return the chance that each of so many boxes of a chain with these types is good if one is missing."""
    own = source.of_boxes(types)
    trust = own.trust if own.is_learned else trust_in(source.program, None, prior)
    return float(trust ** min(1.0, MAX_BOXES_DOUBTED / max(number, 1)))


def changes_reference(progress: ImageProgress, chain: ChainProgress, source: Reference, boxes: Collection[int]) -> bool:
    """Return whether a chain of the source would end with other boxes than the source has."""
    return (
        not in_audit(chain)
        and is_of_reference(progress, chain, source)
        and not needs_no_answer(progress, chain, source, boxes)
    )


def needs_a_person(progress: ImageProgress, chain: ChainProgress, source: Reference, box: int) -> bool:
    """Return whether a box of the source is not to be dropped yet, because no person has judged it."""
    if progress.boxes[box].worker != source.program:
        return False
    return not any(
        answer.task is Task.BOX_QUALITY and answer.boxes == [box] and not answer.by_model for answer in chain.answers
    )


def is_of_reference(progress: ImageProgress, chain: ChainProgress, source: Reference) -> bool:
    """Return whether the source placed every mention of the chain."""
    return bool(source.program) and _chain_of(progress, source).keys() >= {*chain.mentions}


def flag_of(progress: ImageProgress, chain: ChainProgress) -> str:
    """Return why the chain has no box, by its source; empty if the source does not say."""
    return next((flag for number in chain.mentions if (flag := progress.mentions[number].reference_flag)), "")
