"""Gold sheet [beyond paper 3]: one person's annotation of a whole image, what it lacks, and what two sheets dispute.

A chain counts as agreed on if both have exactly its mentions, and the same boxes or the same reason for none. Boxes are
the same if they can be paired with an IOU of at least `SAME_IOU`; the agreed box is the mean of the two.

How many more images must be annotated until every task has enough known questions is learned from those annotated
already, beginning with what one image of Flickr30k Entities gives on average.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import floor
from typing import Any

from annotation.rules.box import Box, iou
from annotation.rules.states import NonVisual
from pipeline.known.question_mix import answer_names, kinds_of, may_add
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings

MOST_BOXES = 200
"""Boxes of one image."""


class AnnotationError(ValueError):
    """A sheet is not as it should be; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class AnnotatedChain:
    """A chain of a sheet. `mentions`: numbers, in reading order."""

    mentions: tuple[int, ...]
    non_visual: str = ""
    """The reason why the chain has no box, of `NonVisual`; empty: it has boxes, or is not decided yet."""
    boxes: tuple[Box, ...] = ()

    @property
    def is_decided(self) -> bool:
        return bool(self.boxes or self.non_visual)

    def to_json(self) -> dict[str, Any]:
        boxes = [list(box) for box in self.boxes]
        return {"mentions": list(self.mentions), "non_visual": self.non_visual, "boxes": boxes}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "AnnotatedChain":
        """Make a chain of what `to_json` returned."""
        return cls(tuple(value["mentions"]), value["non_visual"], tuple(Box(*box) for box in value["boxes"]))


def blank_annotation(mentions: Sequence[int]) -> list[AnnotatedChain]:
    """Return the sheet to begin with: each mention is a chain of its own."""
    return [AnnotatedChain((number,)) for number in mentions]


def renewed(chains: Sequence[AnnotatedChain], mentions: Sequence[int]) -> list[AnnotatedChain]:
    """Return a sheet that has each of the mentions once, as near as possible to `chains`, in reading order.

    Mentions that are gone are left out; each one that is new is a chain of its own.
    """
    place = {number: at for at, number in enumerate(mentions)}
    kept = [replace(chain, mentions=tuple(number for number in chain.mentions if number in place)) for chain in chains]
    there = {number for chain in kept for number in chain.mentions}
    made = [
        *(chain for chain in kept if chain.mentions),
        *blank_annotation([number for number in mentions if number not in there]),
    ]
    return sorted(made, key=lambda chain: place[chain.mentions[0]])


def read_annotation(value: Any, mentions: Sequence[int], width: int, height: int) -> list[AnnotatedChain]:
    """Return the chains of a sheet in the order of their first mentions.

    `mentions`: the numbers of the image's mentions in reading order; each must be in exactly one chain. `width` and
    `height`: the image's, in pixels. Raises SheetError.
    """
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise AnnotationError("The chains must be a list of objects.")
    place = {number: at for at, number in enumerate(mentions)}
    chains = [_chain(row, place, width, height) for row in value]
    found = sorted(number for chain in chains for number in chain.mentions)
    if found != sorted(mentions):
        raise AnnotationError("Each phrase must be in exactly one chain. Reload the page: phrases may have changed.")
    if sum(len(chain.boxes) for chain in chains) > MOST_BOXES:
        raise AnnotationError(f"An image has at most {MOST_BOXES} boxes.")
    return sorted(chains, key=lambda chain: place[chain.mentions[0]])


def _chain(value: dict[str, Any], place: dict[int, int], width: int, height: int) -> AnnotatedChain:
    mentions, boxes, non_visual = value.get("mentions"), value.get("boxes", []), value.get("non_visual", "")
    if not isinstance(mentions, list) or not mentions or not all(type(number) is int for number in mentions):
        raise AnnotationError("A chain needs the numbers of its phrases.")
    if not set(mentions) <= place.keys():
        raise AnnotationError("A chain has a phrase that the image does not have. Reload the page.")
    if not isinstance(boxes, list):
        raise AnnotationError("The boxes of a chain must be a list.")
    made = tuple(dict.fromkeys(_box(edges, width, height) for edges in boxes))
    if non_visual not in ("", *NonVisual):
        raise AnnotationError(f"A chain without a box is {' or '.join(NonVisual)}.")
    if made and non_visual:
        raise AnnotationError("A chain has boxes, or a reason why it has none: not both.")
    return AnnotatedChain(tuple(sorted(mentions, key=place.__getitem__)), str(non_visual), made)


def _box(value: Any, width: int, height: int) -> Box:
    if isinstance(value, list) and len(value) == 4 and all(type(edge) is int for edge in value):
        box = Box(*value)
        if box.fits(width, height):
            return box
    raise AnnotationError("A box must be four whole numbers [x0, y0, x1, y1] inside the image.")


def undecided(chains: Sequence[AnnotatedChain]) -> list[AnnotatedChain]:
    """Return the chains that have neither a box nor a reason for none."""
    return [chain for chain in chains if not chain.is_decided]


SAME_IOU = 0.7
"""Between what is right in a verification question (0.5) and what merges as one box (0.8)."""


class DisputeSubject(StrEnum):
    """The subject of a dispute."""

    PHRASES = "phrases"
    """The phrases that belong together."""
    BOXES = "boxes"
    """The boxes of a chain, or why it has none."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """The chains of each side that are about the same mentions and differ."""

    about: DisputeSubject
    mentions: tuple[int, ...]
    first: tuple[AnnotatedChain, ...]
    second: tuple[AnnotatedChain, ...]


@dataclass(frozen=True, slots=True)
class GoldAgreement:
    chains: tuple[AnnotatedChain, ...]
    """The chains that both sides have."""
    disputes: tuple[Dispute, ...]


def compare(first: Sequence[AnnotatedChain], second: Sequence[AnnotatedChain]) -> GoldAgreement:
    """Compare two sheets of the same mentions. The order is that of the first sheet."""
    other = {frozenset(chain.mentions): chain for chain in second}
    agreed: list[AnnotatedChain] = []
    disputes: list[Dispute] = []
    done: set[int] = set()
    for chain in first:
        if not done.isdisjoint(chain.mentions):
            continue
        twin = other.get(frozenset(chain.mentions))
        if twin is None:
            disputes.append(_tangle(chain, first, second))
        elif (common := _common(chain, twin)) is not None:
            agreed.append(common)
        else:
            disputes.append(Dispute(DisputeSubject.BOXES, chain.mentions, (chain,), (twin,)))
        done.update(agreed[-1].mentions if twin and common is not None else disputes[-1].mentions)
    return GoldAgreement(tuple(agreed), tuple(disputes))


def _tangle(chain: AnnotatedChain, first: Sequence[AnnotatedChain], second: Sequence[AnnotatedChain]) -> Dispute:
    """Return the dispute that the chain is part of: all chains that shared mentions connect with it."""
    found = set(chain.mentions)
    while True:
        sides = [tuple(chain for chain in side if not found.isdisjoint(chain.mentions)) for side in (first, second)]
        reached = {number for side in sides for chain in side for number in chain.mentions}
        if reached == found:
            order = [number for chain in first for number in chain.mentions if number in found]
            return Dispute(DisputeSubject.PHRASES, tuple(order), *sides)
        found = reached


def _common(a: AnnotatedChain, b: AnnotatedChain) -> AnnotatedChain | None:
    """Return what two chains of the same mentions have in common; None if they differ."""
    if a.non_visual != b.non_visual or len(a.boxes) != len(b.boxes) or not a.is_decided:
        return None
    pairs = sorted(((iou(x, y), x, y) for x in a.boxes for y in b.boxes), key=lambda one: -one[0])
    mean: dict[Box, Box] = {}
    taken: set[Box] = set()
    for overlap, x, y in pairs:
        if overlap >= SAME_IOU and x not in mean and y not in taken:
            mean[x] = Box(*((p + q + 1) // 2 for p, q in zip(x, y, strict=True)))
            taken.add(y)
    if len(mean) < len(a.boxes):
        return None
    return AnnotatedChain(a.mentions, a.non_visual, tuple(mean[box] for box in a.boxes))


def to_gold(agreement: GoldAgreement) -> list[dict[str, Any]]:
    """Return the agreed part as `annotation.models.Gold` keeps it.

    Mentions whose chains are disputed are left out. A chain whose boxes are disputed is `open`: only its phrases are
    known.
    """
    open_chains = [
        AnnotatedChain(dispute.mentions) for dispute in agreement.disputes if dispute.about is DisputeSubject.BOXES
    ]
    return [
        {
            "name": str(number),
            "mentions": list(chain.mentions),
            "scene": chain.non_visual == NonVisual.SCENE.value,
            "open": not chain.is_decided,
            "boxes": [list(box) for box in chain.boxes],
        }
        for number, chain in enumerate([*agreement.chains, *open_chains], start=1)
    ]


BEYOND_PROBATION = 10
"""Verification questions beyond probation, so that a newcomer who passes is measured afterwards, too."""
USUAL: Mapping[Task, Mapping[str, float]] = {
    Task.COREFERENCE_LINK: {"same": 11.6, "different": 10.8},
    Task.CHAIN_VERIFICATION: {"true": 3.3, "false": 2.0},
    Task.BOX_REQUIREMENT: {"box": 3.1, "scene": 0.8, "no box": 0.4},
    Task.BOX_DRAWING: {"a box is missing": 6.5, "none missing": 6.5},
    Task.BOX_QUALITY: {"good": 6.5, "bad": 6.5},
    Task.BOX_COVERAGE: {"all there": 6.5, "more needed": 5.9},
}
"""Questions that an image gives, by right answer: the mean of 300 images of Flickr30k Entities.

Their copy has no chains without a box. "Scene" follows from the paper's Table 4 (1.5 chains of type scene an image,
with 0.62 boxes each); "no box" is a guess.
"""
USUAL_IMAGES = 2
"""Images that the usual numbers count for, beside those that were annotated."""
MAX_IMAGES = 500
"""More images than this are never asked for: the number then says "more than"."""


def least_questions(settings: TrustSettings) -> int:
    """Return the verification questions that a task must have before it can open to newcomers: 40 by default."""
    return settings.probation + BEYOND_PROBATION


def recommended_questions(settings: TrustSettings) -> int:
    """Return the verification questions that cover the longest probation and some more: 70 by default."""
    return settings.probation_most + BEYOND_PROBATION


def usable(task: Task, counts: Counter[str], most: int | None = None) -> int:
    """Return how many of the questions found, at `most`, can be in a stock whose right answers are well mixed."""
    total = 0
    for kind in kinds_of(task):
        left, mix = Counter(counts), Counter[str]()
        while most is None or total + mix.total() < most:
            free = [answer for answer in answer_names(kind) if left[answer] and may_add(kind, mix, answer)]
            if not free:
                break
            answer = min(free, key=lambda one: mix[one])
            left[answer] -= 1
            mix[answer] += 1
        total += mix.total()
    return total


def images_needed(task: Task, target: int, *, counts: Counter[str], images: int, others: Counter[str]) -> int | None:
    """Return how many more images give the task `wanted` questions; None if more than `MAX_IMAGES`.

    `found`: questions by right answer that the `images` annotated so far give; `others`: questions of the stock that
    come from elsewhere.
    """
    there = counts + others
    rates = {
        answer: (USUAL_IMAGES * USUAL[task].get(answer, 0) + counts[answer]) / (USUAL_IMAGES + images)
        for kind in kinds_of(task)
        for answer in answer_names(kind)
    }

    def reached(more: int) -> bool:
        """Tell whether this number of more images is enough."""
        after = Counter({answer: there[answer] + floor(more * rate) for answer, rate in rates.items()})
        return usable(task, after, target) >= target

    if not reached(MAX_IMAGES):
        return None
    low, high = 0, MAX_IMAGES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low
