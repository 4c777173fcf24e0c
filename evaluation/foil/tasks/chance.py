"""Chance [paper Shekhar, Results]: the accuracy of guesses, by definition."""

from collections.abc import Sequence

TASK_1 = 50.0


def chance_t2(places: Sequence[Sequence[int]]) -> float:
    """Return the mean over foils of one in the number of places that could be wrong, in percent."""
    return 100 * sum(1 / len(own) for own in places) / len(places)


def chance_t3(words: int) -> float:
    """Return one in the number of other words of the lexicon, in percent: 1.39 for 73 words."""
    return 100 / (words - 1)
