"""Interlock [beyond paper 3.3]: two accounts always begin together, or one begins as the other ends."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workers.rules.signals.signal import at_least, best_of

PAUSE = 600.0
"""A break of more seconds than this ends a spell of work."""
WITHIN = 60.0
"""Two moments at most this many seconds apart are a hit."""
AROUND = 3600.0
"""The seconds before and after a moment in which a stranger would begin at any time with equal chance."""


class Spell(NamedTuple):
    """Work without a long pause: the times of the first and the last answer, in seconds since any moment."""

    begin: float
    end: float


class Interlock(NamedTuple):
    """The counts of one worker beginning as the other ended and of both beginning together, and their chance."""

    chance: float
    handovers: int
    joint: int
    overlapping: int
    """The spells of the first worker during which the second worked, too."""
    spells: int
    """All spells of the first worker."""


def spells(times: Iterable[float], *, pause: float = PAUSE) -> list[Spell]:
    """Return the spells of one worker by the times of all answers in seconds; a break of over `pause` ends one."""
    made: list[Spell] = []
    for time in sorted(times):
        if made and time - made[-1].end <= pause:
            made[-1] = Spell(made[-1].begin, time)
        else:
            made.append(Spell(time, time))
    return made


def interlock(a: Sequence[Spell], b: Sequence[Spell], *, within: float = WITHIN, around: float = AROUND) -> Interlock:
    """Compare when two workers begin and end.

    Only beginnings within `around` seconds of a moment are compared with it, so a shared time zone is no evidence: a
    stranger would begin anywhere in that time with equal chance. A beginning within `within` seconds is a hit.
    """
    starts = [sorted(spell.begin for spell in one) for one in (a, b)]
    ends = [sorted(spell.end for spell in one) for one in (a, b)]
    one_way = _hits(ends[0], starts[1], 0, within, around)
    other_way = _hits(ends[1], starts[0], 0, within, around)
    joint = _hits(starts[0], starts[1], within, within, around)
    handovers = tuple(x + y for x, y in zip(one_way, other_way, strict=True))
    chances = [
        at_least(hits, trials, expected / trials) if trials else 1.0 for hits, trials, expected in (handovers, joint)
    ]
    overlapping = sum(any(other.begin < one.end and one.begin < other.end for other in b) for one in a)
    return Interlock(best_of(chances), int(handovers[0]), int(joint[0]), overlapping, len(a))


def _hits(
    moments: Sequence[float], begins: Sequence[float], before: float, after: float, around: float
) -> tuple[float, float, float]:
    """Return how many moments have a beginning close by, how many have one around, and the hits expected by chance."""
    hits, trials, expected = 0, 0, 0.0
    for moment in moments:
        near = bisect_right(begins, moment + around) - bisect_left(begins, moment - around)
        if near:
            trials += 1
            hits += bisect_right(begins, moment + after) > bisect_left(begins, moment - before)
            expected += 1 - math.exp(-near * (before + after) / (2 * around))
    return hits, trials, expected
