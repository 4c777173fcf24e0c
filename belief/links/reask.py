"""Random re-asks [beyond paper 3.1.1]: random links, whose answers are held against what the strategy believed.

The strategy chooses its pairs, so their answers say little about the pairs that it leaves alone. A re-ask is drawn when
a group has nothing more worth asking, among all its pairs, asked before or not. Its answer counts like any other.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from statistics import fmean
from typing import NamedTuple

from annotation.rules.link_group import Link, LinkGroup
from workers.rules.share import wilson_interval

REASK_VALUE = 1.0
"""A re-ask has the value of one whole bit: its group waits for it, so it is asked first."""
MAX_REASK_CHANCE = 0.5
"""The largest chance of a re-ask, so that one is not followed by another for long."""


def reask(group: LinkGroup, judgments: int, pairs: Sequence[Link], share: float) -> Link | None:
    """Return the pair to audit after these judgments of the group, or, mostly, None.

    `pairs`: those that can be asked, in reading order. `share`: re-asks for each judgment, 0 to 1; a group without
    judgments counts as one with one. The draw depends on the words of the group and the number of its judgments alone,
    so that a replay draws it again.
    """
    if not pairs or not share:
        return None
    words = [(mention.caption, mention.start, mention.words or mention.head) for mention in group.mentions]
    digest = blake2b(repr((words, judgments)).encode(), digest_size=16).digest()
    drawn, place = int.from_bytes(digest[:8]) / 2**64, int.from_bytes(digest[8:])
    return pairs[place % len(pairs)] if drawn < min(share * max(judgments, 1), MAX_REASK_CHANCE) else None


TENTHS = 10


class CheckedLink(NamedTuple):
    """One link asked at random."""

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
    observed: float
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
    for answer in answers:
        tenths.setdefault(min(int(answer.chance * TENTHS), TENTHS - 1), []).append(answer)
    return [_tenth(tenth, tenths[tenth], yes_if_same, yes_if_different) for tenth in sorted(tenths)]


def _tenth(tenth: int, links: list[CheckedLink], yes_if_same: float, yes_if_different: float) -> Tenth:
    chance, same = fmean(link.chance for link in links), sum(link.same for link in links)
    expected = chance * yes_if_same + (1 - chance) * yes_if_different
    return Tenth(tenth / TENTHS, len(links), chance, expected, same / len(links), *wilson_interval(same, len(links)))
