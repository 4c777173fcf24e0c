"""Lapses [beyond paper 3.1.1]: a worker who misreads the mention of a sweep is wrong about many candidates at once.

Weights of pairs take the judgments of a sweep for independent. They are not: with the chance m the answer is a lapse,
and tells nothing; otherwise a judgment is wrong less often than e, its error over all sweeps:

    p(touches) = (1 - m) prod_c p'(touch c) + m 2^-k,     e' = (e - m / 2) / (1 - m).

So no sweep, however long, outweighs the doubt whether its mention was read. What this adds to the logarithm of the
chance of a partition, beyond the weights of pairs, is computed here for the partitions that are weighed.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.link_group import Link
from belief.links.answer_model import MIN_ERROR, CrowdErrors, LinkAnswer
from belief.links.partitions import Flags, Scores
from workers.rules.share import logit, sigmoid

LEAST_LAPSE = 1e-12
"""A smaller chance counts as this, as the logarithm of 0 is not a number."""


class SweptLinks(NamedTuple):
    """The judgments of all sweeps of a group."""

    links: NDArray[np.intp]
    """[judgments, 2]: the positions of the mentions."""
    sweeps: NDArray[np.intp]
    """[judgments]: the place of the judgment's sweep: 0, 1, ..."""
    answers: tuple[LinkAnswer, ...]
    """[judgments]"""


def swept_links(answers: Mapping[Link, Sequence[LinkAnswer]]) -> SweptLinks | None:
    """Return the judgments that a worker gave together with others; None if there are none."""
    by_sweep: dict[int, list[tuple[Link, LinkAnswer]]] = {}
    for link, judgments in answers.items():
        for judgment in judgments:
            if judgment.sweep:
                by_sweep.setdefault(judgment.sweep, []).append((link, judgment))
    several = [judged for judged in by_sweep.values() if len(judged) > 1]
    if not several:
        return None
    links, judgments = zip(*chain.from_iterable(several), strict=True)
    return SweptLinks(np.array(links), np.repeat(np.arange(len(several)), list(map(len, several))), judgments)


def added_by_lapses(swept: SweptLinks, together: Flags, errors: CrowdErrors) -> Scores:
    """Return what is added to the logarithm of the chance of each partition [partitions].

    `together`: whether the link of each judgment is together [partitions, judgments].
    """
    careful, lapse, independent = _logs(swept, together, errors)
    added: Scores = np.logaddexp(careful, lapse).sum(axis=1) - independent
    return added


def chances_of_lapses(swept: SweptLinks, together: Flags, errors: CrowdErrors) -> Scores:
    """Return the chance that each answer to a sweep is a lapse, if a partition is right [partitions, sweeps]."""
    careful, lapse, _ = _logs(swept, together, errors)
    chances: Scores = np.exp(lapse - np.logaddexp(careful, lapse))
    return chances


def without_lapses(errors: Scores, lapse: float) -> Scores:
    """Return the chances of a wrong judgment where the answer is no lapse."""
    return ((errors - lapse / 2) / (1 - lapse)).clip(MIN_ERROR, 0.5)


def _logs(swept: SweptLinks, together: Flags, errors: CrowdErrors) -> tuple[Scores, Scores, Scores]:
    """Return the logarithms of the likelihoods of the answers.

    Of each sweep if it is no lapse [partitions, sweeps], and if it is one [sweeps]; of all if judgments are independent
    [partitions].
    """
    same = np.array([answer.same for answer in swept.answers])
    wrong = np.array([_errors_of(answer, errors) for answer in swept.answers])
    of_sweep = np.equal.outer(swept.sweeps, np.arange(swept.sweeps[-1] + 1)).astype(np.float64)
    held = together.astype(np.float64)

    def logs(of_either: Scores) -> tuple[Scores, Scores]:
        """Return the logarithms of the likelihood of each judgment if it is together, and if it is not."""
        if_same, if_different = of_either.T
        return np.log(np.where(same, 1 - if_same, if_same)), np.log(np.where(same, if_different, 1 - if_different))

    if_same, if_different = logs(without_lapses(wrong, errors.lapse))
    careful = held @ ((if_same - if_different)[:, None] * of_sweep) + if_different @ of_sweep
    lapse = np.log(max(errors.lapse, LEAST_LAPSE)) - np.log(2) * of_sweep.sum(axis=0)
    if_same, if_different = logs(wrong)
    return careful + np.log1p(-errors.lapse), lapse, held @ (if_same - if_different) + if_different.sum()


def _errors_of(answer: LinkAnswer, errors: CrowdErrors) -> tuple[float, float]:
    """Return the chance that a judgment is wrong if its link is together, and if it is not."""
    missed, false = (sigmoid(logit(rate) + answer.skill) for rate in (errors.false_negative, errors.false_positive))
    return 1 - (1 - missed) * errors.noticed(answer.listed), false
