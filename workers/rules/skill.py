"""Skill [paper 3.3]: estimate how often each worker is right and what is true of each item, from all answers.

The model is that of Dawid and Skene (1979): each worker has a confusion matrix and each item a hidden class; both are
found by expectation maximisation. Priors on three levels (crowd, worker, row) steady workers with few answers. Items of
a class may be of two kinds, clear and contested, so that workers who fail on the same items do not count as independent
witnesses (after Li, Rubinstein and Cohn 2019). See docs/why/skills.md for sources and measurements.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from workers.rules.share import wilson_interval

Matrix = list[list[float]]
CLEAR_AND_CONTESTED = 2


class Judged(NamedTuple):
    """One answer of one worker about one item. Any value that can be a key may name a worker or an item."""

    worker: Hashable
    item: Hashable
    answer: Hashable


@dataclass(frozen=True)
class SkillRules:
    """The priors, and when the search ends."""

    row_pull: float = 1.0  # imagined answers per row of a confusion matrix
    crowd_pull: float = 4.0  # imagined answers of an average worker, in each worker's accuracy
    tolerance: float = 1e-4  # nats per judgment: a smaller rise of the likelihood ends the search
    most_rounds: int = 100
    kinds: int | None = None  # 1, 2, or None: whichever Akaike's criterion prefers


@dataclass(frozen=True)
class WorkerSkill:
    """The skill of one worker; shares are 0 to 1."""

    accuracy: float  # expected share of right answers among the checked; the crowd's if none is checked
    low: float  # the 95 % interval of accuracy; 0 to 1 if no answer is checked
    high: float
    checked: int  # answers to items with a known truth or with an answer of another worker
    confusion: tuple[tuple[float, ...], ...]  # P(answer | truth): a row per truth, a column per answer


@dataclass(frozen=True)
class SkillEstimate:
    """The estimates for items and workers, in the order in which the judgments first name them."""

    classes: tuple[Hashable, ...]
    posterior: dict[Hashable, tuple[float, ...]]  # per item P(truth), in the order of the classes
    workers: dict[Hashable, WorkerSkill]
    shares: tuple[float, ...]  # of the classes among the items
    kinds: int
    rounds: int
    converged: bool

    def best(self, item: Hashable) -> Hashable:
        """Return the likeliest class of an item, of equal ones the first. Raises KeyError if nobody judged it."""
        chances = self.posterior[item]
        return self.classes[chances.index(max(chances))]


@dataclass(frozen=True)
class _Table:
    """Judgments by number. The key of an answer is worker x classes + answer; keys of known truths follow after."""

    classes: int
    workers: list[Hashable]
    items: list[Hashable]
    keys_of: list[list[int]]  # per item
    items_of: list[list[int]]  # per key of an answer
    known: dict[int, int]

    @property
    def judgments(self) -> int:
        return sum(map(len, self.items_of))


@dataclass(frozen=True)
class _Fit:
    kinds: int
    chances: Matrix  # per item, by state: kind x classes + class
    shares: list[float]  # per state
    matrices: list[Matrix]  # per worker: truth x answer
    score: float  # log likelihood less effective parameters
    rounds: int
    converged: bool


def estimate_skills(
    judgments: Iterable[Judged],
    classes: Sequence[Hashable],
    known: Mapping[Hashable, Hashable] | None = None,
    rules: SkillRules | None = None,
) -> SkillEstimate:
    """Estimate the class of every judged item and the skill of every worker; the same judgments give the same result.

    `known`: the true classes of some items; they stay fixed. A worker's repeated answers on one item all count: leave
    them out if they should not. Raises ValueError if there are fewer than two classes, or if an answer or a known truth
    is none of them.
    """
    rules = rules or SkillRules()
    table = _table(judgments, classes, known or {})
    numbers = (rules.kinds,) if rules.kinds else (1, CLEAR_AND_CONTESTED)
    fit = max((_fit(table, kinds, rules) for kinds in numbers), key=lambda fit: fit.score)
    posterior = [_by_class(states, table.classes) for states in fit.chances]
    return SkillEstimate(
        classes=tuple(classes),
        posterior={item: tuple(chances) for item, chances in zip(table.items, posterior, strict=True)},
        workers=dict(zip(table.workers, _skills(table, posterior, fit.matrices), strict=True)),
        shares=tuple(_by_class(fit.shares, table.classes)),
        kinds=fit.kinds,
        rounds=fit.rounds,
        converged=fit.converged,
    )


def worker_skill(right: Sequence[float], crowd: float, matrix: Iterable[Sequence[float]] = ()) -> WorkerSkill:
    """Return a worker's skill by the chance of each checked answer to be right, 0 to 1.

    Doubt about the truth widens the interval (Louis 1982). `crowd`: the accuracy if no answer is checked.
    """
    expected, size = sum(right), len(right)
    share = (expected + 2) / (size + 4)
    doubt = sum(chance * (1 - chance) for chance in right)
    weight = max(0.0, 1 - doubt / (size * share * (1 - share))) if size else 0.0
    low, high = wilson_interval(expected * weight, size * weight)
    confusion = tuple(tuple(row) for row in matrix)
    return WorkerSkill(expected / size if size else crowd, low, high, size, confusion)


def _table(judgments: Iterable[Judged], classes: Sequence[Hashable], known: Mapping[Hashable, Hashable]) -> _Table:
    number = {name: place for place, name in enumerate(classes)}
    if len(number) < 2 or len(number) < len(classes):
        raise ValueError("Skill needs at least two classes, each named once.")
    workers: dict[Hashable, int] = {}
    items: dict[Hashable, int] = {}
    keys_of: list[list[int]] = []
    items_of: list[list[int]] = []
    for worker, item, answer in judgments:
        if worker not in workers:
            workers[worker] = len(workers)
            items_of += [[] for _ in classes]
        if item not in items:
            items[item] = len(items)
            keys_of.append([])
        key = workers[worker] * len(classes) + _class(number, answer)
        keys_of[items[item]].append(key)
        items_of[key].append(items[item])
    truths = {items[item]: _class(number, truth) for item, truth in known.items() if item in items}
    return _Table(len(classes), list(workers), list(items), keys_of, items_of, truths)


def _class(number: Mapping[Hashable, int], name: Hashable) -> int:
    if name not in number:
        raise ValueError(f"{name!r} is none of the classes {list(number)}.")
    return number[name]


def _fit(table: _Table, kinds: int, rules: SkillRules) -> _Fit:
    chances = _start(table, kinds)
    # A known truth is one more row of the sum, which rules out the states of all other classes.
    keys_of = [
        [*keys, len(table.items_of) + table.known[item]] if item in table.known else keys
        for item, keys in enumerate(table.keys_of)
    ]
    likelihood, rounds, converged = -math.inf, 0, False
    while not converged and rounds < rules.most_rounds:
        before, rounds = likelihood, rounds + 1
        shares = _shares(chances, table.classes * kinds)
        matrices, rows, parameters = _workers(table, chances, kinds, rules)
        chances, likelihood = _judge(keys_of, shares, rows)
        converged = abs(likelihood - before) <= rules.tolerance * table.judgments
    return _Fit(kinds, chances, shares, matrices, likelihood - parameters, rounds, converged)


def _start(table: _Table, kinds: int) -> Matrix:
    """Start with the shares of the votes, with one more vote split evenly. Agreement makes an item clear."""
    size = table.classes
    start = []
    for item, keys in enumerate(table.keys_of):
        votes = [1 / size] * size
        for key in keys:
            votes[key % size] += 1
        shares = [count / (len(keys) + 1) for count in votes]
        clear = (max(shares) * size - 1) / (size - 1)
        if item in table.known:
            shares = [float(place == table.known[item]) for place in range(size)]
        parts = (clear, 1 - clear) if kinds == CLEAR_AND_CONTESTED else (1.0,)
        start.append([share * part for part in parts for share in shares])
    return start


def _shares(chances: Matrix, states: int) -> list[float]:
    """Return the shares of the states among the items, with one imagined item in each state."""
    totals = _column_sums(chances, states)
    return [(total + 1) / (len(chances) + states) for total in totals]


def _workers(table: _Table, chances: Matrix, kinds: int, rules: SkillRules) -> tuple[list[Matrix], Matrix, float]:
    """Return P(answer | class) per worker, log P(answer | state) per key, and the effective number of parameters."""
    size, states = table.classes, table.classes * kinds
    counts = [_column_sums([chances[item] for item in items], states) for items in table.items_of]
    by_class = [_by_class(row, size) for row in counts]
    right = [sum(by_class[key + place][place] for place in range(size)) for key in range(0, len(counts), size)]
    answers = [sum(map(sum, by_class[key : key + size])) for key in range(0, len(counts), size)]
    crowd = (sum(right) + 1) / (sum(answers) + 2)
    matrices, rows, parameters = [], [], 0.0
    for worker in range(len(table.workers)):
        own = slice(worker * size, worker * size + size)
        coin = (right[worker] + rules.crowd_pull * crowd) / (answers[worker] + rules.crowd_pull)
        even = [[coin if a == t else (1 - coin) / (size - 1) for t in range(size)] for a in range(size)]
        shape = _pulled(by_class[own], even, rules.row_pull)
        final = shape if kinds == 1 else _pulled(counts[own], [row * kinds for row in shape], rules.row_pull)
        matrices.append([list(column) for column in zip(*shape, strict=True)])
        rows += [list(map(math.log, row)) for row in final]
        decided = (total / (total + rules.row_pull) for total in _column_sums(counts[own], states))
        parameters += (size - 1) * sum(decided)
    rows += [[0.0 if s % size == truth else -math.inf for s in range(states)] for truth in range(size)]
    return matrices, rows, parameters


def _pulled(counts: Matrix, towards: Matrix, pull: float) -> Matrix:
    """Return the shares of answers (rows) by state (columns), with `pull` imagined answers more in each state."""
    totals = [total + pull for total in _column_sums(counts, len(counts[0]))]
    return [
        [(count + pull * goal) / total for count, goal, total in zip(row, goals, totals, strict=True)]
        for row, goals in zip(counts, towards, strict=True)
    ]


def _judge(keys_of: list[list[int]], shares: list[float], rows: Matrix) -> tuple[Matrix, float]:
    """Return the chance of each state per item, and the log likelihood of all answers together."""
    prior = list(map(math.log, shares))
    chances, likelihood = [], 0.0
    for keys in keys_of:
        logs = list(map(sum, zip(prior, *map(rows.__getitem__, keys), strict=True)))
        top = max(logs)
        parts = [math.exp(log - top) for log in logs]
        total = sum(parts)
        chances.append([part / total for part in parts])
        likelihood += top + math.log(total)
    return chances, likelihood


def _skills(table: _Table, posterior: Matrix, matrices: list[Matrix]) -> list[WorkerSkill]:
    size = table.classes
    told = [item in table.known or len({key // size for key in keys}) > 1 for item, keys in enumerate(table.keys_of)]
    right = [[posterior[item][key % size] for item in items if told[item]] for key, items in enumerate(table.items_of)]
    everyone = list(chain.from_iterable(right))
    crowd = sum(everyone) / len(everyone) if everyone else 1 / size
    return [
        worker_skill([*chain.from_iterable(right[worker * size : worker * size + size])], crowd, matrix)
        for worker, matrix in enumerate(matrices)
    ]


def _by_class(states: list[float], size: int) -> list[float]:
    return [sum(states[place::size]) for place in range(size)]


def _column_sums(rows: Matrix, width: int) -> list[float]:
    return list(map(sum, zip(*rows, strict=True))) if rows else [0.0] * width
