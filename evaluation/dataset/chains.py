"""Chains of an image in two versions: which chain of one is which of the other, in groups that share mentions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from evaluation.dataset.phrases import Paired, is_mention
from evaluation.reading.picture import Box, Phrase, Picture, around
from evaluation.scoring.iou import iou


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain with all that a version says of it."""

    name: str
    mentions: frozenset[int]
    """Places of its phrases in the list of pairs."""
    phrases: tuple[Phrase, ...]
    boxes: tuple[Box, ...] = ()
    flags: frozenset[str] = frozenset()

    @property
    def types(self) -> frozenset[str]:
        """The types of its phrases together."""
        return frozenset(kind for phrase in self.phrases for kind in phrase.types)


class Part(NamedTuple):
    """Mentions that are in a chain before and in another one after."""

    before: int
    after: int
    mentions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Group:
    """Chains that share mentions with each other, directly or through further ones."""

    before: Sequence[Chain]
    after: Sequence[Chain]
    same: Mapping[int, int]
    """Places of chains that are one chain in both versions: as many mentions as can be stay in theirs."""

    def parts(self) -> Iterator[Part]:
        """Yield the mentions that both versions have, by their chains."""
        for i, one in enumerate(self.before):
            for j, other in enumerate(self.after):
                if both := one.mentions & other.mentions:
                    yield Part(i, j, both)


def chains_of(picture: Picture, pairs: Paired, side: int) -> list[Chain]:
    """Return the chains of a version. `side`: 0 for the earlier one, 1 for the later one."""
    places: dict[str, list[int]] = defaultdict(list)
    phrases: dict[str, list[Phrase]] = defaultdict(list)
    for place, pair in enumerate(pairs.phrases):
        one = pair[side]
        if one is not None and is_mention(one):
            places[one.chain].append(place)
            phrases[one.chain].append(one)
    return [
        Chain(
            name,
            frozenset(place),
            tuple(phrases[name]),
            tuple(picture.boxes.get(name, ())),
            picture.flags.get(name, frozenset()),
        )
        for name, place in places.items()
    ]


def groups_of(before: Sequence[Chain], after: Sequence[Chain]) -> Iterator[Group]:
    """Yield the chains of both versions in groups, in the order of the earlier version."""
    holder = {mention: place for place, chain in enumerate(after) for mention in chain.mentions}
    joined = _Joined(len(before) + len(after))
    for place, chain in enumerate(before):
        for mention in chain.mentions & holder.keys():
            joined.join(place, len(before) + holder[mention])
    for group in joined.groups():
        first = [before[place] for place in group if place < len(before)]
        second = [after[place - len(before)] for place in group if place >= len(before)]
        yield Group(first, second, _same(first, second))


class _Joined:
    """Numbers that were joined, in groups."""

    def __init__(self, size: int) -> None:
        self.head = list(range(size))

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self.find(one), self.find(other)))
        self.head[second] = first

    def find(self, one: int) -> int:
        while self.head[one] != one:
            one = self.head[one]
        return one

    def groups(self) -> Iterable[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for one in range(len(self.head)):
            found[self.find(one)].append(one)
        return found.values()


def _same(before: Sequence[Chain], after: Sequence[Chain]) -> dict[int, int]:
    """Return which chains are one, so that most mentions stay in theirs.

    Among equally good answers, the one whose boxes agree most; then the one whose chains are most alike; then the one
    that keeps earlier mentions. Both versions exchanged give the same answer.
    """
    if len(before) == len(after) == 1:
        return {0: 0}
    if not before or not after:
        return {}
    ranks = {mention: rank for rank, mention in enumerate(sorted(set().union(*(one.mentions for one in before))))}
    worth = np.zeros((len(before), len(after)))
    for i, one in enumerate(before):
        for j, other in enumerate(after):
            if both := one.mentions & other.mentions:
                alike = 2 * len(both) / (len(one.mentions) + len(other.mentions))
                worth[i, j] = len(both) + _one_place(one, other) / 1e2 + alike / 1e4 + 2.0 ** -ranks[min(both)] / 1e6
    rows, columns = linear_sum_assignment(worth, maximize=True)
    return {int(i): int(j) for i, j in zip(rows, columns, strict=True) if worth[i, j] > 0}


def _one_place(one: Chain, other: Chain) -> float:
    """Return how far the boxes around both chains overlap; of chains without boxes 1 if they have the same flags."""
    if one.boxes and other.boxes:
        return float(iou(np.array(around(one.boxes)), np.array(around(other.boxes)))[0, 0])
    return float(one.boxes == other.boxes and one.flags == other.flags)
