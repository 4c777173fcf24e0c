"""Vote table [paper 3.3]: all answers of a task as arrays, item by item."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.intp]
Shares = NDArray[np.float64]


class WorkerAnswer(NamedTuple):
    """One answer of one worker about one item. Any value that can be a key may name a worker or an item."""

    worker: Hashable
    item: Hashable
    answer: Hashable


@dataclass(frozen=True, slots=True)
class VoteTable:
    """Judgments by number, in the order of their items. Workers and items have the numbers of their first judgment."""

    classes: int
    workers: list[Hashable]
    items: list[Hashable]
    worker: Numbers
    """[judgments]"""
    answer: Numbers
    """[judgments]: the number of the class."""
    votes: Numbers
    """[items]: how many judgments each item has; at least one."""
    known: Numbers
    """[items]: the class that is known to be true, or -1."""

    @property
    def keys(self) -> Numbers:
        """[judgments]: worker x classes + answer."""
        return self.worker * self.classes + self.answer

    @property
    def starts(self) -> Numbers:
        """[items]: the place of each item's first judgment."""
        starts: Numbers = np.cumsum(self.votes) - self.votes
        return starts


def vote_table(
    judgments: Iterable[WorkerAnswer], classes: Sequence[Hashable], known: Mapping[Hashable, Hashable]
) -> VoteTable:
    """Number all judgments. Known items that nobody judged are left out.

    Raises ValueError if there are fewer than two classes, or if an answer or a known truth is none of them.
    """
    number = {name: place for place, name in enumerate(classes)}
    if len(number) < 2 or len(number) < len(classes):
        raise ValueError("Skill needs at least two classes, each named once.")
    judged = list(judgments)
    named_workers, named_items, given = (list(map(itemgetter(column), judged)) for column in range(3))
    workers, items = _numbered(named_workers), _numbered(named_items)
    worker, item = _numbers(named_workers, workers), _numbers(named_items, items)
    truths = np.full(len(items), -1, dtype=np.intp)
    for name, truth in known.items():
        if name in items:
            truths[items[name]] = _class(number, truth)
    for answer in dict.fromkeys(given):
        _class(number, answer)
    by_item = np.argsort(item, kind="stable")
    votes = np.bincount(item, minlength=len(items))
    answers = _numbers(given, number)[by_item]
    return VoteTable(len(classes), list(workers), list(items), worker[by_item], answers, votes, truths)


def _numbered(names: Iterable[Hashable]) -> dict[Hashable, int]:
    return dict(zip(dict.fromkeys(names), count(), strict=False))


def _numbers(names: Sequence[Hashable], number: Mapping[Hashable, int]) -> Numbers:
    return np.fromiter(map(number.__getitem__, names), dtype=np.intp, count=len(names))


def _class(number: Mapping[Hashable, int], name: Hashable) -> int:
    if name not in number:
        raise ValueError(f"{name!r} is none of the classes {list(number)}.")
    return number[name]
