"""Answer model [beyond paper 3.1.1]: how much the judgments of a pair say, when pairs and workers differ.

Pairs differ in how hard they are: the logit of a pair's error rate is one of six values, equally likely before the
first answer. So a second answer that agrees says less than the first, and a pair that divides people stays open.
Workers differ in how often they err: `skill` turns a worker's measured accuracy into a move of that logit.
How often the crowd errs on the whole is the paper's figure, or an estimate from a project's own answers
(`refit_from_answers`).
An answer to a sweep is a judgment of each of its pairs. Whoever looks at a list also overlooks some of it, more of a
longer list; a wrong touch is as rare as a wrong "yes".
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from annotation.rules.link_group import Link, LinkGroup
from belief.annotators import error_logits
from workers.rules.score import logit, sigmoid

NODES = 6
SPREAD = 1.6
"""Standard deviation of the logit over pairs, about that of simulated pairs with vague mentions."""
HARDEST = logit(0.45)
"""The largest logit of a pair's error: workers answer every pair better than by chance."""
MIN_ERROR, MAX_ERROR = 0.005, 0.3
"""The lowest and the highest error rate of a crowd, far beyond those of screened workers."""


OVERLOOKED = 0.005
"""Before any sweep was answered: of twelve candidates one is overlooked as often as most pairs are misjudged."""
LAPSE = 0.04
"""The same of lapses: of the answers to sweeps of simulated workers, whose errors about a phrase fall together as those
of real people do, 3 % are lapses in short captions, and 7 % in narrations."""


class CrowdErrors(NamedTuple):
    """The shares of wrong answers, 0 to 1, over the pairs of a project."""

    false_negative: float
    """Of pairs that corefer."""
    false_positive: float
    """Of pairs that do not."""
    misjoined: float = 0.0
    """Of pairs that most people call one thing, the share that is not, 0 to 1."""
    overlooked: float = OVERLOOKED
    """The chance that a mention is overlooked in a sweep, for each candidate after the first, 0 to 1."""
    lapse: float = LAPSE
    """The chance, 0 to 1, that an answer to a sweep tells nothing, as its mention was misread: see `lapses`."""

    def noticed(self, candidates: int) -> float:
        """Return the chance that a mention is not overlooked in a sweep with so many candidates."""
        return (1 - self.overlooked) ** (candidates - 1)

    @property
    def mean(self) -> float:
        return (self.false_negative + self.false_positive) / 2


PAPER_ERRORS = CrowdErrors(0.047, 0.049)
"""[paper table 2]."""


class LinkAnswer(NamedTuple):
    """One judgment of a pair."""

    same: bool
    skill: float = 0.0
    """The logit of the worker's error, less that of the crowd."""
    listed: int = 1
    """The candidates of the sweep; 1: a pair was asked."""
    sweep: int = 0
    """A number that the judgments of one sweep share; 0: a pair was asked."""


class PairEvidence(NamedTuple):
    """The evidence of all judgments of one pair."""

    ratio: float
    """Logarithm of the likelihood of these judgments if the two corefer, over that if they do not."""
    yes_if_same: float
    """The chance, 0 to 1, that the next worker answers "yes" if the two corefer."""
    yes_if_different: float
    """The same chance if the two do not corefer."""


@lru_cache(maxsize=8192)
def weigh(judgments: tuple[LinkAnswer, ...], errors: CrowdErrors = PAPER_ERRORS) -> PairEvidence:
    """Return what the judgments of one pair say; without judgments, what is expected of the crowd.

    Cached, as all pairs of a group are weighed again after each of its judgments.
    """
    (if_same, next_wrong), (if_different, next_yes) = _either(judgments, errors)
    return PairEvidence(if_same - if_different, 1 - next_wrong, next_yes)


@lru_cache(maxsize=8192)
def chances_of_judgment(
    judgments: tuple[LinkAnswer, ...], place: int, errors: CrowdErrors = PAPER_ERRORS
) -> tuple[float, float]:
    """Return how likely the pair's other judgments make this one, if the two corefer, and if they do not."""
    every, others = (_either(given, errors) for given in (judgments, judgments[:place] + judgments[place + 1 :]))
    if_same, if_different = (math.exp(after - before) for (after, _), (before, _) in zip(every, others, strict=True))
    return if_same, if_different


def _either(judgments: Sequence[LinkAnswer], errors: CrowdErrors) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return what `_weigh` does if the two corefer, and if they do not."""
    noticed = tuple(errors.noticed(judgment.listed) for judgment in judgments)
    return (
        _weigh(judgments, errors.false_negative, noticed, truth=True),
        _weigh(judgments, errors.false_positive, (1.0,) * len(judgments), truth=False),
    )


def _weigh(
    judgments: Sequence[LinkAnswer], rate: float, noticed: Sequence[float], *, truth: bool
) -> tuple[float, float]:
    """Return the log likelihood of the judgments, and the chance that an average worker errs next about the pair.

    `noticed`: of each judgment, the chance that a right answer was not overlooked.
    """
    nodes, given = _nodes(rate), list(zip(judgments, noticed, strict=True))
    logs = [sum(_log_chance(node, judgment, share, truth=truth) for judgment, share in given) for node in nodes]
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    total = sum(weights)
    wrong = sum(weight * sigmoid(node) for weight, node in zip(weights, nodes, strict=True)) / total
    return top + math.log(total / NODES), wrong


def _log_chance(node: float, judgment: LinkAnswer, noticed: float, *, truth: bool) -> float:
    error = sigmoid(node + judgment.skill)
    error += (1 - noticed) * (1 - error)
    return math.log(1 - error if judgment.same == truth else error)


@lru_cache(maxsize=256)
def _nodes(rate: float) -> tuple[float, ...]:
    """Return the six logits of the error; their mean error is `rate`."""
    return error_logits(rate, nodes=NODES, spread=SPREAD, between=(-30.0, HARDEST), steps=60, hardest=HARDEST)


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
