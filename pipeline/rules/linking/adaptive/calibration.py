"""Calibration [beyond paper 3.1.1]: what was believed of links asked by lot, beside what workers said of them."""

from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

from workers.rules.share import wilson_interval

TENTHS = 10


class CheckedLink(NamedTuple):
    """One link asked by lot."""

    chance: float
    """The chance, 0 to 1, that was given to "same" before anybody was asked again."""
    same: bool
    """The worker's answer."""


class Tenth(NamedTuple):
    """The links whose predicted chance is in one tenth. Shares are 0 to 1."""

    low: float
    links: int
    chance: float
    """The mean of the predicted chances."""
    expected: float
    """The share of "same" that workers give if the chances are right, as some of them err."""
    said: float
    """The share of "same" that they gave ..."""
    least: float
    """... and the low end of its 95 % interval ..."""
    most: float
    """... and the high end."""

    @property
    def holds(self) -> bool:
        """Tell whether what was predicted is within what chance explains."""
        return self.least <= self.expected <= self.most


def in_tenths(answers: Iterable[CheckedLink], *, yes_if_same: float, yes_if_different: float) -> list[Tenth]:
    """Return the tenths that have links, the lowest first.

    `yes_if_same`, `yes_if_different`: the crowd's chances of "same" if two phrases are one thing and if they are not.
    """
    tenths: dict[int, list[CheckedLink]] = {}
    for one in answers:
        tenths.setdefault(min(int(one.chance * TENTHS), TENTHS - 1), []).append(one)
    return [_tenth(tenth, tenths[tenth], yes_if_same, yes_if_different) for tenth in sorted(tenths)]


def _tenth(tenth: int, found: list[CheckedLink], yes_if_same: float, yes_if_different: float) -> Tenth:
    chance, same = fmean(one.chance for one in found), sum(one.same for one in found)
    expected = chance * yes_if_same + (1 - chance) * yes_if_different
    return Tenth(tenth / TENTHS, len(found), chance, expected, same / len(found), *wilson_interval(same, len(found)))
