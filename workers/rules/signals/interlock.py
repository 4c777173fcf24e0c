"""Interlock [beyond the paper]: two accounts that always begin together, or of which one begins as the other ends."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workers.rules.signals.chance import at_least, best_of

PAUSE = 600.0
WITHIN, AROUND = 60.0, 3600.0
"""Seconds: two moments this close belong together; strangers might as well have begun elsewhere around them."""


class Spell(NamedTuple):
    """Work without a long pause: from the first answer to the last, in seconds since any moment."""

    begin: float
    end: float


class Interlock(NamedTuple):
    """How often one of the two began as the other ended, and how often both began together, and the chance of it."""

    chance: float
    handovers: int
    joint: int
    overlapping: int
    """Spells of the first during which the second worked as well."""
    spells: int
    """Of the first worker."""


def spells(times: Iterable[float], *, pause: float = PAUSE) -> list[Spell]:
    """Of one worker, from the times of all answers in seconds; a break longer than `pause` seconds ends one."""
    made: list[Spell] = []
    for time in sorted(times):
        if made and time - made[-1].end <= pause:
            made[-1] = Spell(made[-1].begin, time)
        else:
            made.append(Spell(time, time))
    return made


def interlock(a: Sequence[Spell], b: Sequence[Spell], *, within: float = WITHIN, around: float = AROUND) -> Interlock:
    """Hold moments of `a` against the beginnings of `b` in the same hours, so that a shared time zone explains itself.

    Were the two strangers, a beginning within `around` seconds would lie anywhere in there with equal probability.
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
    """How many moments have a beginning close by, how many have one around, and how many hits that explains."""
    hits, trials, expected = 0, 0, 0.0
    for moment in moments:
        near = bisect_right(begins, moment + around) - bisect_left(begins, moment - around)
        if near:
            trials += 1
            hits += bisect_right(begins, moment + after) > bisect_left(begins, moment - before)
            expected += 1 - math.exp(-near * (before + after) / (2 * around))
    return hits, trials, expected
