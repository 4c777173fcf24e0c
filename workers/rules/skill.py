"""Skill [paper 3.3]: estimate how often each worker is right and what is true of each item, from all answers.

The model is that of Dawid and Skene (1979): each worker has a confusion matrix and each item a hidden class; both are
found by expectation maximisation. Priors on three levels (crowd, worker, row) steady workers with few answers. Items of
a class may be of two kinds, clear and contested, so that workers who fail on the same items do not count as independent
witnesses (after Li, Rubinstein and Cohn 2019).
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from runtime.intervals import wilson
from workers.rules.fit_votes import Shares, SkillRules, VoteTable, WorkerAnswer, WorkerMatrices, fit_votes, vote_table

Confusion = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class WorkerSkill:
    """The skill of one worker; shares are 0 to 1."""

    accuracy: float  # expected share of right answers among the checked; the crowd's if none is checked
    low: float  # the 95 % interval of accuracy; 0 to 1 if no answer is checked
    high: float
    checked: int  # answers to items with a known truth or with an answer of another worker
    confusion: tuple[tuple[float, ...], ...]  # P(answer | truth): a row per truth, a column per answer


@dataclass(frozen=True)
class EstimatedSkills:
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


def estimate_skills(
    judgments: Iterable[WorkerAnswer],
    classes: Sequence[Hashable],
    known: Mapping[Hashable, Hashable] | None = None,
    rules: SkillRules | None = None,
) -> EstimatedSkills:
    """Estimate the class of every judged item and the skill of every worker; the same judgments give the same result.

    `known`: the true classes of some items; they stay fixed. A worker's repeated answers on one item all count: leave
    them out if they should not. Raises ValueError if there are fewer than two classes, or if an answer or a known truth
    is none of them.
    """
    table = vote_table(judgments, classes, known or {})
    if not table.items:
        return EstimatedSkills(tuple(classes), {}, {}, (1 / len(classes),) * len(classes), 1, 0, True)
    fit = fit_votes(table, rules or SkillRules())
    posterior = _by_class(fit.chances, table.classes)
    return EstimatedSkills(
        classes=tuple(classes),
        posterior=dict(zip(table.items, zip(*posterior.tolist(), strict=True), strict=True)),
        workers=dict(zip(table.workers, _skills(table, posterior, fit.matrices), strict=True)),
        shares=tuple(_by_class(fit.shares, table.classes).tolist()),
        kinds=fit.kinds,
        rounds=fit.rounds,
        converged=fit.converged,
    )


def worker_skill(right: Sequence[float], crowd: float) -> WorkerSkill:
    """Return a worker's skill by the chance of each checked answer to be right, 0 to 1.

    Doubt about the truth widens the interval (Louis 1982). `crowd`: the accuracy if no answer is checked.
    """
    return _skill(sum(right), sum(chance * (1 - chance) for chance in right), len(right), crowd, ())


def _skill(expected: float, doubt: float, size: int, crowd: float, confusion: Confusion) -> WorkerSkill:
    """Return the skill of a worker of `size` checked answers, `expected` of them right, with the sum of the doubts."""
    share = (expected + 2) / (size + 4)
    weight = max(0.0, 1 - doubt / (size * share * (1 - share))) if size else 0.0
    _, low, high = wilson(expected * weight, size * weight)
    return WorkerSkill(expected / size if size else crowd, low, high, size, confusion)


def _skills(table: VoteTable, posterior: Shares, matrices: WorkerMatrices) -> list[WorkerSkill]:
    """Return the skill of each worker by the answers that a known truth or another worker's answer checks."""
    item = np.repeat(np.arange(len(table.items)), table.votes)
    others = np.add.reduceat(
        table.worker != np.repeat(table.worker[table.starts], table.votes), table.starts, dtype=int
    )
    told = ((table.known >= 0) | (others > 0))[item]
    worker, chance = table.worker[told], posterior[table.answer, item][told]
    count = len(table.workers)
    sizes = np.bincount(worker, minlength=count)
    expected = np.bincount(worker, weights=chance, minlength=count)
    doubts = np.bincount(worker, weights=chance * (1 - chance), minlength=count)
    crowd = float(chance.mean()) if len(chance) else 1 / table.classes
    rows = matrices.by_class.transpose(0, 2, 1).tolist()
    each = zip(expected.tolist(), doubts.tolist(), sizes.tolist(), rows, strict=True)
    return [_skill(right, doubt, size, crowd, tuple(map(tuple, confusion))) for right, doubt, size, confusion in each]


def _by_class(states: Shares, classes: int) -> Shares:
    """Sum over the kinds. `states`: [states, ...]."""
    by_class: Shares = states.reshape(-1, classes, *states.shape[1:]).sum(axis=0)
    return by_class


Chances = dict[Hashable, float]

ONE_COIN = SkillRules(crowd_pull=4.0)


@dataclass(frozen=True)
class OneCoinEstimate:
    """The estimates for items and workers, in the order in which the judgments first name them."""

    posterior: dict[Hashable, Chances]  # per item P(answer is right); the rest up to 1: no given answer is right
    workers: dict[Hashable, WorkerSkill]  # without confusion matrices
    rounds: int
    converged: bool


@dataclass
class _Item:
    votes: list[tuple[Hashable, Hashable]] = field(default_factory=list)  # worker, answer
    chances: Chances = field(default_factory=dict)


def estimate_one_coin(
    judgments: Iterable[WorkerAnswer],
    choices: int,
    known: Mapping[Hashable, Hashable] | None = None,
    rules: SkillRules | None = None,
) -> OneCoinEstimate:
    """Estimate the chance of every given answer to be right, and the skill of every worker.

    For answers that differ from item to item, such as boxes: the one-coin model of Dawid and Skene, in which each
    worker is right with one chance, and every wrong answer is equally likely.

    `choices`: how many answers an item can have. `known`: the right answers of some items. Of `rules` only crowd_pull,
    tolerance (here the mean change of a chance) and most_rounds count. Raises ValueError if there are fewer than two
    choices, or an item got more different answers than there are choices.
    """
    known, rules = known or {}, rules or ONE_COIN
    items: dict[Hashable, _Item] = {}
    for worker, item, answer in judgments:
        items.setdefault(item, _Item()).votes.append((worker, answer))
    _start(items, known, choices)
    converged = False
    rounds = 0
    while not converged and rounds < rules.most_rounds:
        rounds += 1
        change = _judge(items, known, choices, _accuracies(items, rules))
        converged = change <= rules.tolerance * len(items)
    posterior = {name: item.chances for name, item in items.items()}
    return OneCoinEstimate(posterior, _one_coin_skills(items, known, choices), rounds, converged)


def _start(items: Mapping[Hashable, _Item], known: Mapping[Hashable, Hashable], choices: int) -> None:
    """Start with each answer's share of the votes, with one more vote for none of them."""
    for name, item in items.items():
        named = {answer for _, answer in item.votes}
        if choices < 2 or len(named) > choices:
            raise ValueError(f"Item {name!r} has {len(named)} different answers, of {choices} possible ones.")
        for _, answer in item.votes:
            item.chances[answer] = item.chances.get(answer, 0.0) + 1 / (len(item.votes) + 1)
        if name in known:
            item.chances = {answer: float(answer == known[name]) for answer in item.chances}


def _accuracies(items: Mapping[Hashable, _Item], rules: SkillRules) -> Chances:
    right: Chances = {}
    answers: Chances = {}
    for item in items.values():
        for worker, answer in item.votes:
            right[worker] = right.get(worker, 0.0) + item.chances[answer]
            answers[worker] = answers.get(worker, 0.0) + 1
    crowd = (sum(right.values()) + 1) / (sum(answers.values()) + 2)
    pull = rules.crowd_pull
    return {worker: (right[worker] + pull * crowd) / (answers[worker] + pull) for worker in answers}


def _judge(
    items: Mapping[Hashable, _Item], known: Mapping[Hashable, Hashable], choices: int, accuracies: Chances
) -> float:
    """Weigh the votes of every item again. Returns the sum over items of the largest change of a chance."""
    weights = {worker: math.log(chance * (choices - 1) / (1 - chance)) for worker, chance in accuracies.items()}
    change = 0.0
    for name, item in items.items():
        if name in known:
            continue
        logs = dict.fromkeys(item.chances, 0.0)
        for worker, answer in item.votes:
            logs[answer] += weights[worker]
        top = max(0.0, *logs.values())
        unnamed = (choices - len(logs)) * math.exp(-top)
        total = unnamed + sum(math.exp(log - top) for log in logs.values())
        chances = {answer: math.exp(log - top) / total for answer, log in logs.items()}
        change += max(abs(chance - item.chances[answer]) for answer, chance in chances.items())
        item.chances = chances
    return change


def _one_coin_skills(
    items: Mapping[Hashable, _Item], known: Mapping[Hashable, Hashable], choices: int
) -> dict[Hashable, WorkerSkill]:
    right: dict[Hashable, list[float]] = {}
    for name, item in items.items():
        told = name in known or len({worker for worker, _ in item.votes}) > 1
        for worker, answer in item.votes:
            right.setdefault(worker, []).extend([item.chances[answer]] if told else [])
    checked = [chance for chances in right.values() for chance in chances]
    crowd = sum(checked) / len(checked) if checked else 1 / choices
    return {worker: worker_skill(chances, crowd) for worker, chances in right.items()}
