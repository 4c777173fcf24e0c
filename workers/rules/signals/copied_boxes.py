"""Copied boxes [paper 3.3]: the same numbers again and again, another worker's, the whole picture, the default box."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from statistics import median

from workers.rules.signals.chance import at_least, best_of
from workers.rules.signals.near_boxes import NEAR, Blind, Drawn, NearBoxes, blind
from workers.rules.signals.signal import Signal, SignalKind


class Repeat(StrEnum):
    OWN = "repeat the worker's own box of another picture"
    OTHERS = "repeat another worker's box of another picture"


Copy = Blind | Repeat
KINDS: tuple[Copy, ...] = (*Blind, *Repeat)


def copies(drawn: Iterable[Drawn], *, near: float = NEAR) -> dict[int, Copy]:
    """The ids of all boxes of a project that look copied, and how; the rest is left out.

    In order of ids, and only an earlier box of another picture counts: the copy is marked, never its source, and
    one thing that two chains of a picture point to is no copy.
    """
    found: dict[int, Copy] = {}
    earlier = NearBoxes(near)
    for one in sorted(drawn):
        if copy := blind(one, near=near) or _of_earlier(one, earlier):
            found[one.id] = copy
        if not isinstance(found.get(one.id), Blind):
            earlier.add(one)
    return found


def _of_earlier(one: Drawn, earlier: NearBoxes) -> Repeat | None:
    copied = None
    for other in earlier.near(one):
        if other.image != one.image:
            if other.worker == one.worker:
                return Repeat.OWN
            copied = Repeat.OTHERS
    return copied


Usual = Mapping[Copy, float]
"""The share of each kind of copy that is usual among workers."""


def usual_copies(boxes_of: Mapping[int, Sequence[int]], copied: Mapping[int, Copy], *, least: float = 0.03) -> Usual:
    """`boxes_of`: the ids of each worker's boxes. Medians, so that up to half of the workers can be bad.

    Large things do fill pictures, and a fixed camera sees one thing in one place: what everybody does is no signal.
    Never under `least`, as one worker may get such pictures and another none.
    """
    shares = {
        copy: [sum(copied.get(one) is copy for one in ids) / len(ids) for ids in boxes_of.values() if ids]
        for copy in KINDS
    }
    return {copy: max(least, median(found)) if found else least for copy, found in shares.items()}


def copied_boxes(
    worker: int, ids: Sequence[int], copied: Mapping[int, Copy], usual: Usual, *, boxes: int = 20
) -> Signal | None:
    """A signal if more of the worker's boxes, of at least `boxes`, look copied in one of four ways than usual."""
    if len(ids) < boxes:
        return None
    marked = {copy: tuple(one for one in ids if copied.get(one) is copy) for copy in KINDS}
    chances = {copy: at_least(len(found), len(ids), usual[copy]) for copy, found in marked.items()}
    chance = best_of(list(chances.values()))
    if chance >= 1:
        return None
    # Two ways that are each within the usual say nothing.
    shown = [copy for copy in KINDS if chances[copy] < 1]
    words = "; ".join(f"{len(marked[copy])} {copy} (usual: {usual[copy] * len(ids):.0f})" for copy in shown)
    judgments = tuple(sorted(one for copy in shown for one in marked[copy]))
    return Signal(SignalKind.COPIED_BOXES, (worker,), chance, f"Of {len(ids)} boxes {words}.", judgments)
