"""One-coin skill [paper 3.3]: one accuracy per worker, for answers that differ from item to item, such as boxes.

This is the one-coin model of Dawid and Skene: each worker is right with one chance, and every wrong answer is equally
likely.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from workers.rules.skill import SkillRules, WorkerAnswer, WorkerSkill, worker_skill

Chances = dict[Hashable, float]

RULES = SkillRules(crowd_pull=4.0)


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

    `choices`: how many answers an item can have. `known`: the right answers of some items. Of `rules` only crowd_pull,
    tolerance (here the mean change of a chance) and most_rounds count. Raises ValueError if there are fewer than two
    choices, or an item got more different answers than there are choices.
    """
    known, rules = known or {}, rules or RULES
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
    return OneCoinEstimate(posterior, _skills(items, known, choices), rounds, converged)


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


def _skills(
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
