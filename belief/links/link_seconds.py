"""Seconds of links [beyond paper 3.1.1]: how long an answer about two mentions takes, and one to a sweep."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from pydantic import Field, Strict

from annotation.rules.plain_errors import should_be
from belief.values import Amount

IMAGINED = 50
"""Imagined answers that take the usual time, about two mentions and about one further candidate."""
LEAST_PAIR, LEAST_FURTHER = 1.0, 0.1
"""Nobody answers in no time."""
SECONDS_DIGITS = 2
Seconds = Annotated[float, Strict(), Field(gt=0), should_be("a number above 0")]


class LinkSeconds(NamedTuple):
    """The seconds that an answer about links takes."""

    pair: Seconds
    further_candidate: Amount

    def of(self, candidates: int) -> float:
        """Return the seconds of an answer about so many candidates; 1: a pair."""
        return self.pair + self.further_candidate * (candidates - 1)


class TimedAnswers(NamedTuple):
    """Answers about links with one number of candidates."""

    candidates: int
    answers: int
    seconds: float
    """Of each, on the mean."""


def fit_seconds(timed: Sequence[TimedAnswers], given: LinkSeconds | None, usual: LinkSeconds) -> LinkSeconds | None:
    """Return the seconds by which answers took as long as they did, with least squares, drawn towards the given ones.

    `usual`: drawn towards where none are given. Answers to pairs alone teach nothing of sweeps: the given ones stay.
    Rounded, so that every machine has the same.
    """
    if all(answers.candidates == 1 for answers in timed):
        return given
    usual = given or usual
    number = in_lists = IMAGINED
    total, weighted, further = IMAGINED * usual.pair, IMAGINED * usual.further_candidate, 0
    for candidates, answers, seconds in timed:
        number, further = number + answers, further + answers * (candidates - 1)
        in_lists += answers * (candidates - 1) ** 2
        total, weighted = total + answers * seconds, weighted + answers * (candidates - 1) * seconds
    slope = (number * weighted - further * total) / (number * in_lists - further**2)
    pair = (total - slope * further) / number
    return LinkSeconds(max(round(pair, SECONDS_DIGITS), LEAST_PAIR), max(round(slope, SECONDS_DIGITS), LEAST_FURTHER))
