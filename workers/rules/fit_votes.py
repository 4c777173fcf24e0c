"""Fit of votes [paper 3.3]: the class of each item and the matrix of each worker, by expectation maximisation.

An item's state is its class and its kind. With one kind states are classes; with two, items are clear or contested.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from workers.rules.skill_rules import SkillRules
from workers.rules.vote_table import Numbers, Shares, VoteTable
from workers.rules.worker_matrices import Pulls, WorkerMatrices, worker_matrices

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
