"""Sweeps [beyond paper 3.1.1]: one question about a mention and several candidates, and how much its answer tells.

The answer is one bit for each candidate. The candidates that a mention is together with differ from partition to
partition, and depend on each other: of two chains at most one is touched. So an answer tells less than the sum of what
its bits tell, and what it tells is the mutual information of the whole answer and the mention's row of the partition:

    I = H(answer) - H(answer | row),     H(answer | row) = H(lapse) - H(lapse | answer, row) + H(answer | lapse, row),

    H(answer | lapse, row) = m k + (1 - m) sum over the candidates c of [q_c H(y_1c) + (1 - q_c) H(y_0c)],

with m the chance of a lapse, k the number of candidates, q_c the chance that c is together with the mention, and y the
chances of a touch if it is, and if it is not.
"""

from math import comb
from typing import NamedTuple

import numpy as np

from belief.links.answer_model import PAPER_ERRORS, CrowdErrors
from belief.links.group_belief import GroupBelief, entropy, information_of_answer
from belief.links.lapses import chances_if_careful
from belief.links.link_seconds import LinkSeconds
from belief.links.partitions import Flags, Places, Scores

MOST_CANDIDATES = 12
"""The candidates of a sweep at most."""
LEAST_CHANCE = 0.001
"""A candidate is together with the mention with this chance at least, and apart from it with this chance at least.

Chains of ten mentions are right only where each is surer than that two are one thing by 98 %.
"""
LOOKED_AT = 8
"""Of so many mentions, those whose sweeps could tell most, it is computed what they tell."""
WAYS = np.array(
    [[comb(k, wrong) for wrong in range(MOST_CANDIDATES + 1)] for k in range(MOST_CANDIDATES + 1)], dtype=np.float64
)
"""The ways in which so many candidates can be judged wrongly [candidates, wrong]."""
LEAST_PATTERN = 1e-300
"""Chances below this count as this, as the logarithm of 0 is not a number."""


class SweepPlan(NamedTuple):
    """A sweep by the positions of its mentions, or of the chains that these stand for."""

    mention: int
    candidates: tuple[int, ...]
    """Ascending."""
    rate: float
    """Bits a second."""


def best_sweep(
    belief: GroupBelief, allowed: Flags, seconds: LinkSeconds, errors: CrowdErrors = PAPER_ERRORS, least: float = 0.0
) -> SweepPlan | None:
    """Return the sweep that tells most bits a second; None if none with two candidates tells as much as `least`.

    `allowed`: the candidates of each mention that may be asked about [mentions, mentions].
    """
    allowed = allowed & (belief.together >= LEAST_CHANCE) & (belief.together <= 1 - LEAST_CHANCE)
    careful = (chances_if_careful(chances, errors.lapse) for chances in (belief.if_same, belief.if_different))
    of_pairs = np.where(allowed, information_of_answer(belief.together, *careful), 0.0).round(9)
    # Of a mention's candidates those come first that tell most one by one.
    order = np.argsort(-of_pairs, axis=1, kind="stable")[:, :MOST_CANDIDATES]
    times = np.array([seconds.of(place + 1) for place in range(order.shape[1])])
    blocks, chances = belief.posterior.blocks()
    bounds = _bounds(np.take_along_axis(of_pairs, order, axis=1), blocks, chances, times)
    best, rate = None, least
    for mention in np.argsort(-bounds, kind="stable")[:LOOKED_AT].tolist():
        candidates = order[mention][allowed[mention, order[mention]]]
        if bounds[mention] < rate:
            break
        if len(candidates) < 2:
            continue
        own = blocks[:, mention]
        bits = _bits_of_first(belief, mention, candidates, (blocks[own], chances[own]), errors)
        rates = (bits / times[: len(bits)]).round(9)
        number = int(np.argmax(rates[1:])) + 2
        if rates[number - 1] > rate:
            rate = float(rates[number - 1])
            best = SweepPlan(mention, tuple(sorted(candidates[:number].tolist())), rate)
    return best


def _bounds(of_pairs: Scores, blocks: Flags, chances: Scores, times: Scores) -> Scores:
    """Return what no sweep of two candidates or more tells more than, in bits a second [mentions].

    Where it is no lapse, its bits tell no more together than one by one, nor more than there is to know: which block
    the mention is in.
    """
    safe = np.maximum(chances, LEAST_PATTERN)
    to_know = (-chances * np.log2(safe)) @ blocks
    sums = np.minimum(np.cumsum(of_pairs, axis=1), to_know[:, None])
    bounds: Scores = (sums / times)[:, 1:].max(axis=1, initial=0.0)
    return bounds


def _bits_of_first(
    belief: GroupBelief, mention: int, candidates: Places, blocks: tuple[Flags, Scores], errors: CrowdErrors
) -> Scores:
    """Return what an answer about the first candidate tells, about the first two, and so on [candidates].

    In a sweep of all candidates, so that some are overlooked. `blocks`: those that hold the mention.
    """
    count = len(candidates)
    if_same = chances_if_careful(errors.noticed(count) * belief.if_same[mention, candidates], errors.lapse)
    if_different = chances_if_careful(belief.if_different[mention, candidates], errors.lapse)
    members, chances_of_blocks = blocks
    patterns = members[:, candidates] @ (1 << np.arange(count))
    # The chance of each pattern of candidates that are together with the mention; then of each pattern of touches.
    together = np.bincount(patterns, weights=chances_of_blocks, minlength=1 << count)
    half = count // 2
    low, high = (_noise(if_same[part], if_different[part]) for part in (slice(half), slice(half, None)))
    answers = (high @ together.reshape(len(high), len(low)) @ low.T).ravel()
    entropies = np.empty(count)
    for place in reversed(range(count)):
        mixed = (1 - errors.lapse) * answers + errors.lapse / len(answers)
        entropies[place] = -(mixed * np.log2(np.maximum(mixed, LEAST_PATTERN))).sum()
        answers = answers.reshape(2, -1).sum(axis=0)
    chances = belief.together[mention, candidates]
    doubt = _doubt_about_lapses(chances * (1 - if_same) + (1 - chances) * if_different, errors.lapse)
    of_touches = np.cumsum(chances * entropy(if_same) + (1 - chances) * entropy(if_different))
    of_chance = np.arange(1, count + 1)
    noise = entropy(np.array(errors.lapse)) + (1 - errors.lapse) * of_touches + errors.lapse * of_chance - doubt
    bits: Scores = entropies - noise
    return bits


def _doubt_about_lapses(wrong: Scores, lapse: float) -> Scores:
    """Return the bits of doubt whether an answer is a lapse to whoever knows what is right [candidates].

    Of an answer about the first candidate, about the first two, and so on. `wrong`: the chance of each judgment to be
    wrong if the answer is no lapse; their mean stands for all, so that the number of wrong judgments tells everything.
    """
    candidates = np.arange(1, len(wrong) + 1)[:, None]
    rate = np.cumsum(wrong)[:, None] / candidates
    mistakes, ways = np.arange(len(wrong) + 1), WAYS[1 : len(wrong) + 1, : len(wrong) + 1]
    careful = (1 - lapse) * ways * rate**mistakes * (1 - rate) ** np.maximum(candidates - mistakes, 0)
    by_chance = lapse * ways / 2.0**candidates
    either = careful + by_chance
    doubt: Scores = (either * entropy(by_chance / np.where(ways > 0, either, 1.0))).sum(axis=1)
    return doubt


def _noise(if_same: Scores, if_different: Scores) -> Scores:
    """Return the chance of each pattern of touches by what is true [touches, truths]; the first candidate counts 1."""
    found: Scores = np.ones((1, 1))
    for same, different in zip(if_same.tolist(), if_different.tolist(), strict=True):
        own = np.array([[1 - different, 1 - same], [different, same]])
        found = (own[:, None, :, None] * found[None, :, None, :]).reshape(2 * len(found), -1)
    return found
