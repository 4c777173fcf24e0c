"""Skill [paper 3.3]: estimate how often each worker is right and what is true of each item, from all answers.

The model is that of Dawid and Skene (1979): each worker has a confusion matrix and each item a hidden class; both are
found by expectation maximisation. Priors on three levels (crowd, worker, row) steady workers with few answers. Items of
a class may be of two kinds, clear and contested, so that workers who fail on the same items do not count as independent
witnesses (after Li, Rubinstein and Cohn 2019).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runtime.intervals import wilson
from workers.rules.fit_votes import Shares, SkillRules, VoteTable, WorkerAnswer, WorkerMatrices, fit_votes, vote_table

__all__ = ["EstimatedSkills", "SkillRules", "WorkerAnswer", "WorkerSkill", "estimate_skills", "worker_skill"]


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
