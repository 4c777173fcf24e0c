"""Unseen truth [beyond paper 3.3]: how often people who agree about a chain's boxes are wrong together.

What one person overlooks, others overlook. No number of answers shows that, because answers that agree look the same
whether they are right or not. Known questions show it: there the truth was found another way. So the share of known
questions that most workers answered wrongly lowers the confidence of every finished chain.
"""

from collections.abc import Iterable
from typing import NamedTuple

BASE = 0.003
"""The share before any known question was answered."""
IMAGINED = 25.0
"""Imagined known questions that are as the base says; so a few questions change little."""
ENOUGH = 3
"""Answers that a known question needs before what most workers said counts."""
DIGITS = 4


class KnownAnswers(NamedTuple):
    """The answers of different workers to one known question about boxes."""

    right: int
    wrong: int


def fit_unseen(known: Iterable[KnownAnswers], base: float = BASE) -> float:
    """Return the share of questions about boxes, 0 to 1, on which people are wrong together."""
    enough = [one for one in known if one.right + one.wrong >= ENOUGH and one.right != one.wrong]
    wrong = sum(one.wrong > one.right for one in enough)
    return round((wrong + IMAGINED * base) / (len(enough) + IMAGINED), DIGITS)


def chance_seen(unseen: float, boxes: int) -> float:
    """Return the chance that people are wrong together about nothing that is said of a finished chain.

    That is whether it needs boxes, whether each of `boxes` is good, and whether none is missing.
    """
    return float((1 - unseen) ** (boxes + 2))
