"""Lapses [beyond paper 3.1.1]: a worker who misreads the mention of a sweep is wrong about many candidates at once.

Weights of pairs take the judgments of a sweep for independent. They are not: with the chance m the answer is a lapse,
and tells nothing; otherwise judgments are right more often. With p, their chances by the others about their pairs:

    p(answer) = (1 - m) prod_c p'_c + m 2^-k,     p' = (p - m / 2) / (1 - m).

So no sweep, however long, outweighs the doubt whether its mention was read. What this adds to the logarithm of the
chance of a partition, beyond the weights of pairs, is a sum over its blocks: a sweep depends on its mention's alone.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from annotation.rules.link_group import Link
from belief.links.answer_model import MIN_ERROR, CrowdErrors, LinkAnswer, chances_of_judgment
from belief.links.partitions import Flags, Places, Scores

LEAST_LAPSE = 1e-12
"""A smaller chance counts as this, as the logarithm of 0 is not a number."""


class SweptLinks(NamedTuple):
    """The judgments of all sweeps of a group, by the positions of the mentions."""

    mentions: Places
    """[sweeps]: the mentions that were given."""
    firsts: Places
    """[sweeps]: the place of each sweep's first judgment; the others follow."""
    candidates: Places
    """[judgments]"""
    judgments: tuple[tuple[tuple[LinkAnswer, ...], int], ...]
    """[judgments]: all judgments of the pair, and the place of this one."""


def swept_links(answers: Mapping[Link, Sequence[LinkAnswer]]) -> SweptLinks | None:
    """Return the judgments that a worker gave together with others; None if there are none."""
    by_sweep: dict[int, list[tuple[Link, tuple[tuple[LinkAnswer, ...], int]]]] = {}
    for link, given in answers.items():
        for place, judgment in enumerate(given):
            if judgment.sweep:
                by_sweep.setdefault(judgment.sweep, []).append((link, (tuple(given), place)))
    several = [judged for judged in by_sweep.values() if len(judged) > 1]
    if not several:
        return None
    mentions = np.array([({*judged[0][0]} & {*judged[1][0]}).pop() for judged in several])
    numbers = np.array([len(judged) for judged in several])
    links, judgments = zip(*chain.from_iterable(several), strict=True)
    candidates = np.array(links).sum(axis=1) - np.repeat(mentions, numbers)
    return SweptLinks(mentions, np.cumsum(numbers) - numbers, candidates, judgments)


def added_by_lapses(swept: SweptLinks, blocks: Flags, errors: CrowdErrors) -> Scores:
    """Return what each block adds to the logarithm of the chance of a partition that has this block [blocks].

    `blocks`: the mentions of each [blocks, mentions].
    """
    careful, lapse, independent = _logs(swept, blocks, errors)
    added: Scores = (blocks[:, swept.mentions] * (np.logaddexp(careful, lapse) - independent)).sum(axis=1)
    return added


def chances_of_lapses(swept: SweptLinks, blocks: Flags, chances: Scores, errors: CrowdErrors) -> Scores:
    """Return the chance that each answer to a sweep is a lapse [sweeps].

    `blocks`: the mentions of each [blocks, mentions]. `chances`: of each block.
    """
    careful, lapse, _ = _logs(swept, blocks, errors)
    found: Scores = chances @ (blocks[:, swept.mentions] * np.exp(lapse - np.logaddexp(careful, lapse)))
    return found


def chances_if_careful(chances: Scores, lapse: float) -> Scores:
    """Return the chances of judgments where the answer is no lapse."""
    return ((chances - lapse / 2) / (1 - lapse)).clip(MIN_ERROR, 1 - MIN_ERROR)


def _logs(swept: SweptLinks, blocks: Flags, errors: CrowdErrors) -> tuple[Scores, Scores, Scores]:
    """Return the logarithms of the likelihood of each answer, if its mention is in a block.

    If it is no lapse [blocks, sweeps], if it is one [sweeps], and if judgments are independent [blocks, sweeps].
    """
    chances = np.array([chances_of_judgment(*judgment, errors) for judgment in swept.judgments]).T
    careful = chances_if_careful(chances, errors.lapse)
    together = blocks[:, swept.candidates]

    def summed(if_same: Scores, if_different: Scores) -> Scores:
        """Return the sum over the judgments of each answer [blocks, sweeps]."""
        sums: Scores = np.add.reduceat(np.where(together, if_same, if_different), swept.firsts, axis=1)
        return sums

    lapse = np.log(max(errors.lapse, LEAST_LAPSE)) - np.log(2) * np.diff(swept.firsts, append=len(swept.judgments))
    return summed(*np.log(careful)) + np.log1p(-errors.lapse), lapse, summed(*np.log(chances))
