"""Fit of votes [paper 3.3]: the class of each item and the matrix of each worker, by expectation maximisation.

An item's state is its class and its kind. With one kind states are classes; with two, items are clear or contested.

The crowd has a confusion matrix. Each worker's prior is that matrix, its diagonal raised or lowered to the worker's
accuracy; and the accuracy is pulled to the crowd's. How strong both pulls are is partly learned: workers who are alike
are pulled together, workers who differ stay apart. So a worker with many answers is known by them alone, and twenty
classes do not make twenty rows of guesses of a worker with few.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
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


@dataclass(frozen=True)
class SkillRules:
    """The priors, and when the search ends.

    A pull is a number of imagined answers. `row_pull` pulls each row of a worker's confusion matrix to what the crowd
    answers, raised or lowered to the worker's accuracy; `crowd_pull` pulls each worker's accuracy to the crowd's.
    """

    row_pull: float = 4.0
    crowd_pull: float = 16.0
    learned: float = 0.5
    """The way, 0 to 1 in logarithms, that the pulls go to the ones that tell left-out answers best."""
    tolerance: float = 1e-4
    """Nats per judgment: a smaller change of the likelihood ends the search."""
    most_rounds: int = 100
    kinds: int | None = None
    """1, 2, or None: whichever Akaike's criterion prefers."""


PULLS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""The pulls that are tried."""
CROWD_ROW = 4.0
"""Imagined answers per row of the crowd's matrix, with all errors alike."""


class Pulls(NamedTuple):
    """Imagined answers, as in SkillRules."""

    row: float
    crowd: float


class WorkerMatrices(NamedTuple):
    """The chances of answers."""

    by_class: Shares
    """[workers, answers, classes]"""
    by_state: Shares
    """[workers, answers, states]"""
    pulls: Pulls


def worker_matrices(counts: Shares, classes: int, rules: SkillRules, pulls: Pulls | None) -> WorkerMatrices:
    """Return the matrices of all workers.

    `counts`: [workers, answers, states], the expected number of each answer; a state is kind x classes + class. Without
    `pulls` they are learned from these counts.
    """
    workers, states = len(counts), counts.shape[2]
    by_class = counts.reshape(workers, classes, states // classes, classes).sum(axis=2)
    right = np.trace(by_class, axis1=1, axis2=2)
    answers = by_class.sum(axis=(1, 2))
    crowd = float((right.sum() + 1) / (answers.sum() + 2))
    crowd_pull = pulls.crowd if pulls else _learned_crowd_pull(right, answers - right, crowd, rules)
    accuracy = (right + crowd_pull * crowd) / (answers + crowd_pull)
    one_kind = states == classes
    base = _like_the_crowd(by_class, accuracy, crowd) if one_kind else _all_errors_alike(accuracy, classes)
    row_pull = pulls.row if pulls else _learned_row_pull(by_class, base, rules)
    own = _pulled(by_class, base, row_pull)
    final = own if one_kind else _pulled(counts, np.tile(own, states // classes), row_pull)
    return WorkerMatrices(own, final, Pulls(row_pull, crowd_pull))


def _pulled(counts: Shares, towards: Shares, pull: float) -> Shares:
    """Return the shares of answers by state, with `pull` imagined answers more in each state."""
    shares: Shares = (counts + pull * towards) / (counts.sum(axis=1, keepdims=True) + pull)
    return shares


def _all_errors_alike(accuracy: Shares, classes: int) -> Shares:
    """Return a matrix for each accuracy, all wrong answers equally likely [accuracies, answers, classes]."""
    right = np.eye(classes)
    wrong = (1 - accuracy) / (classes - 1)
    return accuracy[:, None, None] * right + wrong[:, None, None] * (1 - right)


def _like_the_crowd(by_class: Shares, accuracy: Shares, crowd: float) -> Shares:
    """Return the crowd's matrix, its diagonal shifted to each worker's accuracy [workers, answers, classes]."""
    classes = by_class.shape[1]
    even = _all_errors_alike(np.array([crowd]), classes)
    matrix = _pulled(by_class.sum(axis=0, keepdims=True), even, CROWD_ROW)[0]
    hit = np.diag(matrix)
    logits = np.log(hit / (1 - hit)) + np.log(accuracy / (1 - accuracy) * (1 - crowd) / crowd)[:, None]
    hits = 1 / (1 + np.exp(-logits))
    misses = matrix * (1 - np.eye(classes))
    base: Shares = (1 - hits)[:, None, :] * (misses / misses.sum(axis=0))
    base[:, np.arange(classes), np.arange(classes)] = hits
    return base


def _learned_row_pull(counts: Shares, base: Shares, rules: SkillRules) -> float:
    totals = counts.sum(axis=1, keepdims=True)
    tells = [_left_out(counts, totals, base, pull) for pull in PULLS]
    return _moved(rules.row_pull, PULLS[int(np.argmax(tells))], rules)


def _learned_crowd_pull(right: Shares, wrong: Shares, crowd: float, rules: SkillRules) -> float:
    counts, base = np.stack([right, wrong]), np.array([[crowd], [1 - crowd]])
    tells = [_left_out(counts, right + wrong, base, pull) for pull in PULLS]
    return _moved(rules.crowd_pull, PULLS[int(np.argmax(tells))], rules)


def _left_out(counts: Shares, totals: Shares, base: Shares, pull: float) -> float:
    """Return how well each answer is told by the others of its row and the pull, in nats."""
    others = np.maximum(counts - 1, 0) + pull * base
    return float((counts * np.log(others / (np.maximum(totals - 1, 0) + pull))).sum().round(6))


def _moved(pull: float, learned: float, rules: SkillRules) -> float:
    return float(pull ** (1 - rules.learned) * learned**rules.learned)


CLEAR_AND_CONTESTED = 2
LEARNING = 3
"""Rounds in which the pulls are learned; then they stay, so that the search comes to an end."""


@dataclass(frozen=True, slots=True)
class VoteFit:
    """The result of a search, in which every array is by number."""

    kinds: int
    chances: Shares
    """[states, items]"""
    shares: Shares
    """[states], among the items."""
    matrices: WorkerMatrices
    score: float
    """The log likelihood less the effective number of parameters."""
    rounds: int
    converged: bool


def fit_votes(table: VoteTable, rules: SkillRules) -> VoteFit:
    """Fit with the number of kinds of the rules, or with the one that scores better. The table is not empty."""
    numbers = (rules.kinds,) if rules.kinds else (1, CLEAR_AND_CONTESTED)
    return max((_fit(table, kinds, rules) for kinds in numbers), key=lambda fit: fit.score)


def _fit(table: VoteTable, kinds: int, rules: SkillRules) -> VoteFit:
    states, keys, starts = table.classes * kinds, table.keys, table.starts
    chances = _start(table, kinds)
    likelihood, rounds, converged = -inf, 0, False
    pulls: Pulls | None = None
    while not converged and rounds < rules.most_rounds:
        before, rounds = likelihood, rounds + 1
        # One imagined item in each state.
        shares = (chances.sum(axis=1) + 1) / (len(table.items) + states)
        counts = _counts(table, keys, chances)
        matrices = worker_matrices(counts, table.classes, rules, pulls)
        pulls = matrices.pulls if rounds >= LEARNING else None
        chances, likelihood = _judge(table, keys, starts, shares, matrices.by_state)
        converged = abs(likelihood - before) <= rules.tolerance * len(keys)
    totals = counts.sum(axis=1)
    decided = totals / (totals + matrices.pulls.row)
    score = likelihood - (table.classes - 1) * float(decided.sum())
    return VoteFit(kinds, chances, shares, matrices, score, rounds, converged)


def _start(table: VoteTable, kinds: int) -> Shares:
    """Start with the shares of the votes, with one more vote split evenly. Agreement makes an item clear."""
    classes, items = table.classes, len(table.items)
    item = np.repeat(np.arange(items), table.votes)
    counted = np.bincount(table.answer * items + item, minlength=classes * items).reshape(classes, items)
    shares: Shares = (counted + 1 / classes) / (table.votes + 1)
    clear = (shares.max(axis=0) * classes - 1) / (classes - 1)
    truths = np.flatnonzero(table.known >= 0)
    shares[:, truths] = np.arange(classes)[:, None] == table.known[truths]
    return np.concatenate([shares * clear, shares * (1 - clear)]) if kinds == CLEAR_AND_CONTESTED else shares


def _counts(table: VoteTable, keys: Numbers, chances: Shares) -> Shares:
    """Return the expected number of each answer [workers, answers, states]."""
    length = len(table.workers) * table.classes
    of_state = [np.bincount(keys, weights=np.repeat(row, table.votes), minlength=length) for row in chances]
    counts: Shares = np.stack(of_state, axis=1).astype(np.float64, copy=False)
    return counts.reshape(len(table.workers), table.classes, len(chances))


def _judge(table: VoteTable, keys: Numbers, starts: Numbers, shares: Shares, by_state: Shares) -> tuple[Shares, float]:
    """Return the chance of each state per item [states, items], and the log likelihood of all answers together."""
    told = np.log(by_state).reshape(-1, len(shares))
    logs = np.stack([np.add.reduceat(np.ascontiguousarray(column).take(keys), starts) for column in told.T])
    logs += np.log(shares)[:, None]
    truths = np.flatnonzero(table.known >= 0)
    other = np.arange(len(shares))[:, None] % table.classes != table.known[truths]
    logs[:, truths] = np.where(other, -np.inf, logs[:, truths])
    top = logs.max(axis=0)
    chances: Shares = np.exp(logs - top)
    totals = chances.sum(axis=0)
    chances /= totals
    return chances, float((top + np.log(totals)).sum())
