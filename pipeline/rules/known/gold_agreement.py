"""Gold agreement [beyond paper 3]: what two people's sheets of one image have in common, and what they dispute.

A chain counts as agreed on if both have exactly its mentions, and the same boxes or the same reason for none. Boxes are
the same if they can be paired with an IOU of at least `SAME_IOU`; the agreed box is the mean of the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.rules.box import Box, iou
from annotation.rules.states import NonVisual
from pipeline.rules.known.gold_sheet import SheetChain

SAME_IOU = 0.7
"""Between what is right in a verification question (0.5) and what merges as one box (0.8)."""


class About(StrEnum):
    """The subject of a dispute."""

    PHRASES = "phrases"
    """The phrases that belong together."""
    BOXES = "boxes"
    """The boxes of a chain, or why it has none."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """The chains of each side that are about the same mentions and differ."""

    about: About
    mentions: tuple[int, ...]
    first: tuple[SheetChain, ...]
    second: tuple[SheetChain, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    chains: tuple[SheetChain, ...]
    """The chains that both sides have."""
    disputes: tuple[Dispute, ...]


def compare(first: Sequence[SheetChain], second: Sequence[SheetChain]) -> Agreement:
    """Compare two sheets of the same mentions. The order is that of the first sheet."""
    other = {frozenset(chain.mentions): chain for chain in second}
    agreed: list[SheetChain] = []
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
            disputes.append(Dispute(About.BOXES, chain.mentions, (chain,), (twin,)))
        done.update(agreed[-1].mentions if twin and common is not None else disputes[-1].mentions)
    return Agreement(tuple(agreed), tuple(disputes))


def _tangle(chain: SheetChain, first: Sequence[SheetChain], second: Sequence[SheetChain]) -> Dispute:
    """Return the dispute that the chain is part of: all chains that shared mentions connect with it."""
    found = set(chain.mentions)
    while True:
        sides = [tuple(one for one in side if not found.isdisjoint(one.mentions)) for side in (first, second)]
        reached = {number for side in sides for one in side for number in one.mentions}
        if reached == found:
            order = [number for one in first for number in one.mentions if number in found]
            return Dispute(About.PHRASES, tuple(order), *sides)
        found = reached


def _common(a: SheetChain, b: SheetChain) -> SheetChain | None:
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
    return SheetChain(a.mentions, a.non_visual, tuple(mean[box] for box in a.boxes))


def to_gold(agreement: Agreement) -> list[dict[str, Any]]:
    """Return the agreed part as `annotation.models.Gold` keeps it.

    Mentions whose chains are disputed are left out. A chain whose boxes are disputed is `open`: only its phrases are
    known.
    """
    open_chains = [SheetChain(one.mentions) for one in agreement.disputes if one.about is About.BOXES]
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
