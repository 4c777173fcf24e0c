"""Sweeps [beyond paper 3.1.1]: one question about a mention and several candidates, and how much its answer tells.

The answer is one bit for each candidate. The candidates that a mention is together with differ from partition to
partition, and depend on each other: of two chains at most one is touched. So an answer tells less than the sum of what
its bits tell, and what it tells is the mutual information of the whole answer and the mention's row of the partition:

    I = H(answer) - sum over the candidates c of [q_c H(y_1c) + (1 - q_c) H(y_0c)],

with q_c the chance that c is together with the mention, and y the chances of a touch if it is, and if it is not.
"""

from typing import NamedTuple

import numpy as np

from belief.links.group_belief import GroupBelief, entropy, information_of_answer
from belief.links.partitions import Flags, Places, Scores
from workers.rules.share import logit, sigmoid

MOST_CANDIDATES = 12
"""The candidates of a sweep at most."""
LEAST_CHANCE = 0.02
"""A candidate is together with the mention with this chance at least, and apart from it with this chance at least."""


class LinkSeconds(NamedTuple):
    """The time that an answer about links takes."""

    pair: float
    further: float
    """For each candidate after the first."""

    def of(self, candidates: int) -> float:
        return self.pair + self.further * (candidates - 1)


class SweepPlan(NamedTuple):
    """A sweep by the positions of its mentions."""

    mention: int
    candidates: tuple[int, ...]
    """Ascending."""
    bits: float


def best_sweep(belief: GroupBelief, allowed: Flags, seconds: LinkSeconds) -> SweepPlan | None:
    """Return the sweep of two or more candidates that tells most bits a second; None if there is none.

    `allowed`: the pairs that may be asked [mentions, mentions], symmetric.
    """
    chances = belief.together
    allowed = allowed & (chances >= LEAST_CHANCE) & (chances <= 1 - LEAST_CHANCE)
    pair_bits = np.where(allowed, information_of_answer(chances, belief.if_same, belief.if_different), 0.0)
    order = np.argsort(-pair_bits.round(9), axis=1, kind="stable")[:, :MOST_CANDIDATES]
    sums = np.cumsum(np.take_along_axis(pair_bits, order, axis=1), axis=1)
    times = seconds.pair + seconds.further * np.arange(order.shape[1])
    # The bits of an answer tell no more together than one by one.
    bounds = (sums / times).max(axis=1)
    best, rate = None, 0.0
    for mention in np.argsort(-bounds.round(9), kind="stable").tolist():
        if bounds[mention] <= rate:
            break
        candidates = order[mention][allowed[mention, order[mention]]]
        if len(candidates) < 2:
            continue
        bits = _bits_of_prefixes(belief, mention, candidates)
        rates = (bits / times[: len(bits)]).round(9)
        number = int(np.argmax(rates[1:])) + 2
        if rates[number - 1] > rate:
            rate = float(rates[number - 1])
            best = SweepPlan(mention, tuple(sorted(candidates[:number].tolist())), float(bits[number - 1]))
    return best


def _bits_of_prefixes(belief: GroupBelief, mention: int, candidates: Places) -> Scores:
    """Return what the answer about the first candidate tells, about the first two, and so on [candidates]."""
    count = len(candidates)
    if_same = touched_in_list(belief.if_same[mention, candidates], count)
    if_different = belief.if_different[mention, candidates]
    row = belief.posterior.with_mention(mention)[:, candidates]
    pattern = row @ (1 << np.arange(count))
    answers = np.bincount(pattern, weights=belief.posterior.chances, minlength=1 << count)
    for place, (same, different) in enumerate(zip(if_same.tolist(), if_different.tolist(), strict=True)):
        apart, together = np.moveaxis(answers.reshape(-1, 2, 1 << place), 1, 0)
        touch = different * apart + same * together
        answers = np.stack([apart + together - touch, touch], axis=1).ravel()
    entropies = np.empty(count)
    for place in range(count - 1, -1, -1):
        entropies[place] = -(answers * np.log2(np.maximum(answers, 1e-300))).sum()
        answers = answers.reshape(2, -1).sum(axis=0)
    chances = belief.together[mention, candidates]
    noise = chances * entropy(if_same) + (1 - chances) * entropy(if_different)
    bits: Scores = entropies - np.cumsum(noise)
    return bits


def touched_in_list(yes_if_same, count):
    return yes_if_same
