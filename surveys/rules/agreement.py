"""Agreement [beyond paper 3]: the shares of captions that the majority, and that everybody, judged right.

The right verdict is known by construction. The overall share is the mean of the shares of correct captions and of
foils, whichever of them are more.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pipeline.protocol.tasks.survey import CaptionVerdict

OVERALL = "overall"


class JudgedCaption(NamedTuple):
    """One decided caption: what it is, how many judged it right, and of a foil how many named the wrong word."""

    truth: CaptionVerdict
    votes: int
    right: int
    named: int = 0


class Share(NamedTuple):
    """Shares of captions, from 0 to 1; None: there is no caption of this kind."""

    captions: int
    majority: float | None
    unanimous: float | None


def agreement(judged: Iterable[JudgedCaption]) -> dict[str, Share]:
    """Return the shares of correct captions, of foils, and overall."""
    rows = list(judged)
    found = {
        name: _share([row for row in rows if row.truth is truth])
        for name, truth in (("correct captions", CaptionVerdict.CORRECT), ("foils", CaptionVerdict.WRONG))
    }
    correct, foils = found.values()
    majority, unanimous = (_mean(correct[place], foils[place]) for place in (1, 2))
    return found | {OVERALL: Share(len(rows), majority, unanimous)}


def named_by_majority(judged: Iterable[JudgedCaption]) -> tuple[int, int]:
    """Return in how many foils the majority named the exchanged word, and the number of foils."""
    foils = [answer for answer in judged if answer.truth is CaptionVerdict.WRONG]
    return sum(2 * foil.named > foil.votes for foil in foils), len(foils)


def histogram(judged: Iterable[JudgedCaption]) -> list[tuple[int, int, int]]:
    """Return how many right votes, and for how many correct captions and how many foils; every number from 0 up."""
    rows = list(judged)
    most = max((row.votes for row in rows), default=-1)

    def count(right: int, truth: CaptionVerdict) -> int:
        return sum(row.right == right and row.truth is truth for row in rows)

    return [
        (right, count(right, CaptionVerdict.CORRECT), count(right, CaptionVerdict.WRONG)) for right in range(most + 1)
    ]


def _share(rows: list[JudgedCaption]) -> Share:
    if not rows:
        return Share(0, None, None)
    majority = sum(2 * row.right > row.votes for row in rows)
    unanimous = sum(row.right == row.votes for row in rows)
    return Share(len(rows), majority / len(rows), unanimous / len(rows))


def _mean(first: float | int | None, second: float | int | None) -> float | None:
    return None if first is None or second is None else (first + second) / 2
