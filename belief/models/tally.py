"""Juror tally [beyond paper 3.3]: how often a program that judges errs, by answers that were held against people's."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, Strict

from annotation.rules.plain_errors import should_be
from belief.annotators import Errors

Amount = Annotated[float, Strict(), Field(ge=0), should_be("a number from 0")]
Tally = tuple[Amount, Amount]
"""Answers that were right, and wrong, in parts: the truth is known as a chance only."""
UNKNOWN: Tally = (1.8, 0.2)
"""Imagined answers of a program that nobody knows."""
PULL = 6.0
"""Imagined answers of each kind, wrong as often as all of the program's answers."""
LEARNED = 24.0
"""Answers that were held against people's, before the others count."""
NONE: Tally = (0.0, 0.0)


def held_against_people(tallies: Iterable[Tally]) -> float:
    """Return the answers of all these tallies."""
    return sum(map(sum, tallies))


def wrong_among(tallies: Iterable[Tally]) -> float:
    """Return the share of wrong answers among all."""
    every = [*tallies, UNKNOWN]
    return sum(wrong for _, wrong in every) / sum(map(sum, every))


def mistakes(something: Tally, nothing: Tally, wrong: float, imagined: Tally = NONE, *, blind: bool = False) -> Errors:
    """Return how often a juror errs where something is wrong, and where nothing is.

    `wrong`: the share among all its answers, which few answers are pulled to. `imagined`: answers about something wrong
    that a few answers are pulled to instead, if there are any. `blind`: few answers are pulled to those of a juror that
    never sees what is wrong. A juror that guesses says nothing, and none says the opposite.
    """
    good, bad = imagined
    alarm = _share(nothing, wrong)
    if blind:
        passed = _share(something, 1 - alarm, LEARNED)
    else:
        passed = (something[1] + bad) / (sum(something) + good + bad) if good + bad else _share(something, wrong)
    most = passed + alarm
    return Errors(passed / most, alarm / most) if most > 1 else Errors(passed, alarm)


def _share(tally: Tally, wrong: float, pull: float = PULL) -> float:
    good, bad = tally
    return (bad + pull * wrong) / (good + bad + pull)
