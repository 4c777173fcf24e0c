"""Worker matrices [paper 3.3]: what each worker answers to each class, from soft counts and priors on three levels.

The crowd has a confusion matrix. Each worker's prior is that matrix, its diagonal raised or lowered to the worker's
accuracy; and the accuracy is pulled to the crowd's. How strong both pulls are is partly learned: workers who are alike
are pulled together, workers who differ stay apart. So a worker with many answers is known by them alone, and twenty
classes do not make twenty rows of guesses of a worker with few.
"""

from typing import NamedTuple

import numpy as np

from workers.rules.skill_rules import SkillRules
from workers.rules.vote_table import Shares

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
