"""Kinds of error [paper 3.3.3]: the ways in which a label was wrong, told by what it was and what it became.

The paper counts errors of chunking and of coreference; the boxes' own are counted beside them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from annotation.rules.box import Box, iou
from pipeline.checking.label_evidence import ChainLabel


class Error(StrEnum):
    """Errors as an expert counts them in a sample of finished images."""

    CHUNKING = "chunking"
    WRONG_LINK = "wrong link"
    MISSED_LINK = "missed link"
    WRONG_BOX = "wrong box"
    MISSING_BOX = "missing box"


class ErrorKind(StrEnum):
    """The ways in which a label of a checked data set was wrong."""

    MERGED = "chains merged"
    SPLIT = "chain split"
    MISPLACED = "phrase in the wrong chain"
    MOVED = "box off its place"
    LARGE = "box too large"
    SMALL = "box too small"
    ELSEWHERE = "box around the wrong thing"
    MISSING = "box missing"
    EXTRA = "box too many"
    NEEDLESS = "box though none is due"
    FORGOTTEN = "no box though one is due"
    FLAG = "wrong flag"
    TYPE = "wrong type"
    PHRASE_MISSING = "phrase missing"
    PHRASE_EXTRA = "phrase too many"


ERRORS: Mapping[ErrorKind, tuple[Error, ...]] = {
    ErrorKind.MERGED: (Error.WRONG_LINK,),
    ErrorKind.SPLIT: (Error.MISSED_LINK,),
    ErrorKind.MISPLACED: (Error.WRONG_LINK, Error.MISSED_LINK),
    ErrorKind.MISSING: (Error.MISSING_BOX,),
    ErrorKind.FORGOTTEN: (Error.MISSING_BOX,),
    **dict.fromkeys(
        (ErrorKind.MOVED, ErrorKind.LARGE, ErrorKind.SMALL, ErrorKind.ELSEWHERE, ErrorKind.EXTRA, ErrorKind.NEEDLESS),
        (Error.WRONG_BOX,),
    ),
    **dict.fromkeys((ErrorKind.PHRASE_MISSING, ErrorKind.PHRASE_EXTRA), (Error.CHUNKING,)),
    **dict.fromkeys((ErrorKind.FLAG, ErrorKind.TYPE), ()),
}
"""The names that the paper has for each kind; it counts no errors of flags and types."""
SAME_THING = 0.2
"""Two boxes that overlap less (IOU) are around different things. A box shifted by a third both ways still has 0.29."""
INSIDE = 0.9
"""The share of a box that lies in another one if the other one has only grown."""


class BoxChange(NamedTuple):
    """A box that is another one now, that is gone (`after` is None), or that is new (`before` is None)."""

    kind: ErrorKind
    before: Box | None
    after: Box | None

    @property
    def iou(self) -> float | None:
        """The overlap of the two, 0 to 1; None if there is one box only."""
        return iou(self.before, self.after) if self.before and self.after else None


def phrase_kinds(before: Sequence[ChainLabel], after: Sequence[ChainLabel]) -> list[ErrorKind]:
    """Return the errors in the phrases of labels that share some, or would if no phrase had been added or removed."""
    old, new = ({number for label in labels for number in label.mentions} for labels in (before, after))
    was, now = (
        {frozenset(old & new & {*label.mentions}) for label in labels} - {frozenset()} for labels in (before, after)
    )
    found = []
    if was != now:
        finer = all(any(part <= whole for whole in was) for part in now)
        coarser = all(any(part <= whole for whole in now) for part in was)
        found.append(ErrorKind.MERGED if finer else ErrorKind.SPLIT if coarser else ErrorKind.MISPLACED)
    found += [ErrorKind.PHRASE_MISSING] if new - old else []
    return [*found, *([ErrorKind.PHRASE_EXTRA] if old - new else [])]


def box_changes(before: Collection[Box], after: Collection[Box]) -> list[BoxChange]:
    """Return how one set of boxes became another, by the boxes before; each box is in at most one change."""
    old, new = (sorted(set(side) - set(other)) for side, other in ((before, after), (after, before)))
    if not before or not after:
        gone = [BoxChange(ErrorKind.NEEDLESS, box, None) for box in old]
        return [*gone, *(BoxChange(ErrorKind.FORGOTTEN, None, box) for box in new)]
    found = []
    for _, was, became in sorted((-iou(was, became), was, became) for was in old for became in new):
        if was in old and became in new and iou(was, became) >= SAME_THING:
            found.append(BoxChange(_moved(was, became), was, became))
            old.remove(was)
            new.remove(became)
    both = min(len(old), len(new))
    found += [BoxChange(ErrorKind.ELSEWHERE, *pair) for pair in zip(old, new, strict=False)]
    found += [BoxChange(ErrorKind.EXTRA, box, None) for box in old[both:]]
    found += [BoxChange(ErrorKind.MISSING, None, box) for box in new[both:]]
    return sorted(found, key=lambda change: (change.before is None, change.before or change.after))


def flag_kinds(before: Iterable[ChainLabel], after: Iterable[ChainLabel]) -> list[ErrorKind]:
    """Return whether labels without any box had the wrong flag. A source that says nothing is not wrong."""
    every = (*before, *after)
    was, now = ({label.flag for label in labels} for labels in (before, after))
    differ = bool(was - {""}) and bool(now) and was != now
    return [ErrorKind.FLAG] if differ and not any(label.boxes for label in every) else []


def _moved(before: Box, after: Box) -> ErrorKind:
    if before.area > after.area and share_in(after, before) >= INSIDE:
        return ErrorKind.LARGE
    if after.area > before.area and share_in(before, after) >= INSIDE:
        return ErrorKind.SMALL
    return ErrorKind.MOVED


def share_in(box: Box, outer: Box) -> float:
    """Return the share of a box that lies inside another one, 0 to 1."""
    width = min(box.x1, outer.x1) - max(box.x0, outer.x0)
    height = min(box.y1, outer.y1) - max(box.y0, outer.y0)
    return max(0, width) * max(0, height) / box.area
