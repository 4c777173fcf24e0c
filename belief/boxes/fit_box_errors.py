"""Fit of box errors [beyond paper 3.3]: how often a crowd errs in each box task, and how often it errs together.

What is true of a chain is unknown, and what it ended with is what most answers say. So answers are not held against the
ends: the errors are chosen under which all answers together are likeliest, whatever may be true (maximum likelihood).
Workers who contradict one another more often than the errors of the base explain raise them.

What one person overlooks, others overlook. No number of answers shows that, because answers that agree look the same
whether they are right or not. Known questions show it: there the truth was found another way. So the share of known
questions that most workers answered wrongly lowers the confidence of every finished chain.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from belief.boxes.box_answers import BoxTask
from belief.boxes.box_belief import BoxEvidence, believe_boxes
from belief.boxes.box_prior import BoxPrior
from belief.known_answers import KnownAnswers, wrong_together
from workers.rules.score import logit, sigmoid

IMAGINED_ANSWERS = 60.0
"""Imagined answers of each task that are wrong as often as the base says; so a few answers change little."""
MIN_ERROR, MAX_ERROR = 0.01, 0.4
"""The lowest and the highest error that is fitted."""
STEPS = (0.4, 0.2, 0.1)
"""For each round, the step by which the logit of each error is moved to see how likely the answers become."""
MAX_STEPS = 3
"""The most steps by which a round moves an error."""
ERROR_DIGITS = 4
TaskErrors = dict[str, float]


def fit_box_errors(chains: Sequence[BoxEvidence], prior: BoxPrior) -> Mapping[str, float]:
    """Return the crowd's share of wrong answers, 0 to 1, by box task. `prior`: has the errors to begin with."""
    if not chains:
        return prior.errors
    errors: TaskErrors = {task.value: prior.error_of(task) for task in BoxTask}
    # The error of a task moves only the chains that people answered it about: the others need not be weighed again.
    # Chains with the same answers are weighed once.
    about: dict[BoxTask, list[tuple[BoxEvidence, int]]] = {task: [] for task in BoxTask}
    for chain, number in Counter(chains).items():
        for task in {answer.task for answer in chain.answers if answer.by_person}:
            about[task].append((chain, number))

    def likely(errors: TaskErrors, task: BoxTask) -> float:
        moved = replace(prior, errors=errors)
        chances = sum(number * believe_boxes(chain, moved).log_chance for chain, number in about[task])
        return chances + _imagined(prior.error_of(task), errors[task])

    for step in STEPS:
        for task in BoxTask:
            errors = _climbed(errors, task, step, partial(likely, task=task))
    return {task: round(error, ERROR_DIGITS) for task, error in errors.items()}


def _imagined(base: float, error: float) -> float:
    return IMAGINED_ANSWERS * (base * math.log(error) + (1 - base) * math.log(1 - error))


def _climbed(errors: TaskErrors, task: BoxTask, step: float, likely: Callable[[TaskErrors], float]) -> TaskErrors:
    """Return the errors with that of one task at the top of the parabola about it."""

    def by(steps: float) -> TaskErrors:
        return {**errors, task: min(max(sigmoid(logit(errors[task]) + steps * step), MIN_ERROR), MAX_ERROR)}

    here, low, high = likely(errors), likely(by(-1)), likely(by(1))
    bend = low - 2 * here + high
    best = (low - high) / (2 * bend) if bend < 0 else MAX_STEPS * (1 if high > low else -1)
    tried = [by(max(-MAX_STEPS, min(MAX_STEPS, best))), by(1), by(-1)]
    top, place = max([(likely(tried[0]), 0), (high, 1), (low, 2)], key=lambda gain: gain[0])
    return tried[place] if top > here else errors


BASE_UNSEEN = 0.003
"""The share before any known question was answered."""


def fit_unseen(known: Iterable[KnownAnswers], base: float = BASE_UNSEEN) -> float:
    """Return the share of questions about boxes, 0 to 1, on which people are wrong together."""
    return round(wrong_together(known, base), ERROR_DIGITS)


def chance_seen(unseen: float, boxes: int) -> float:
    """Return the chance that people are wrong together about nothing that is said of a finished chain.

    That is whether it needs boxes, whether each of `boxes` is good, and whether none is missing.
    """
    return float((1 - unseen) ** (boxes + 2))
