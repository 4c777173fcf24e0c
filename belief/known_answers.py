"""Known answers [beyond paper 3]: how often most people are wrong about one question.

What one person overlooks or misreads, others do, too. No number of answers shows that, because answers that agree look
the same whether they are right or not. Known questions show it: there the truth was found another way.
"""

from collections.abc import Iterable
from typing import NamedTuple

IMAGINED_KNOWN = 25.0
"""Imagined known questions that are as the base says; so a few questions change little."""
MIN_KNOWN_ANSWERS = 3
"""Answers that a known question needs before what most workers said counts."""


class KnownAnswers(NamedTuple):
    """The answers of different workers to one known question."""

    right: float
    wrong: float


def decided(known: Iterable[KnownAnswers]) -> list[KnownAnswers]:
    """Return the known questions with enough answers and a majority."""
    return [
        question
        for question in known
        if question.right + question.wrong >= MIN_KNOWN_ANSWERS and question.right != question.wrong
    ]


def wrong_together(known: Iterable[KnownAnswers], base: float) -> float:
    """Return the share of questions, 0 to 1, on which most people are wrong. `base`: the share without known ones."""
    asked = decided(known)
    return _share(sum(question.wrong > question.right for question in asked), len(asked), base)


def wrong_answers(known: Iterable[KnownAnswers], base: float) -> float:
    """Return the mean share of wrong answers, 0 to 1, to a question. `base`: the share without known questions."""
    shares = [question.wrong / (question.right + question.wrong) for question in known]
    return _share(sum(shares), len(shares), base)


def _share(wrong: float, answers: int, base: float) -> float:
    return (wrong + IMAGINED_KNOWN * base) / (answers + IMAGINED_KNOWN)
