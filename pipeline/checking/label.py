"""Labels [beyond paper 3]: chains with their boxes, as a checked data set has them and as they are now."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.rules.box import Box
from pipeline.protocol.image.merging import final_chain
from pipeline.protocol.state.progress import ImageProgress


class ChainLabel(NamedTuple):
    """One chain with all that is said of it."""

    mentions: tuple[int, ...]
    """Numbers, ascending."""
    boxes: tuple[Box, ...]
    """Ascending; none if the chain has a flag."""
    flag: str = ""
    """The reason why the chain has no box: a value of NonVisual; empty: it has boxes, or nothing is said."""


def labels_of_source(
    boxes: Iterable[Sequence[int]], chains: Iterable[Sequence[int]], flags: Mapping[str, str], there: Iterable[int]
) -> list[ChainLabel]:
    """Return the labels of an image as its source has them, by first mention.

    `boxes`: rows of [mention, x0, y0, x1, y1]; `chains`: lists of mentions; `flags`: by a mention's number. `there`:
    mentions that the image still has; others are passed over.
    """
    left, found = set(there), []
    of: dict[int, set[Box]] = defaultdict(set)
    for number, *sides in boxes:
        of[number].add(Box(*sides[:4]))
    for chain in chains:
        if own := sorted(left.intersection(chain)):
            every = sorted({box for number in own for box in of[number]})
            flag = "" if every else next((flags[str(number)] for number in own if str(number) in flags), "")
            found.append(ChainLabel(tuple(own), tuple(every), flag))
    return sorted(found)


def labels_now(progress: ImageProgress) -> list[ChainLabel]:
    """Return the labels of an image as its answers have made them so far, by first mention.

    Chains that merging made one are one label, with the merged boxes; boxes of other chains are as they were accepted.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    for name in progress.chains:
        parts[final_chain(progress, name)].append(name)
    found = []
    for names in parts.values():
        own = sorted(number for name in names for number in progress.chains[name].mentions)
        boxes = {box.number: box.box for name in names for box in progress.accepted(name)}
        if len(names) > 1:
            every = {merged.box for merged in progress.merged if not boxes.keys().isdisjoint(merged.members)}
        else:
            every = set(boxes.values())
        flag = "" if every else next((flag for name in names if (flag := progress.chains[name].non_visual)), "")
        found.append(ChainLabel(tuple(own), tuple(sorted(every)), flag))
    return sorted(found)
