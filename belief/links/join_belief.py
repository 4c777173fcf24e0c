"""Join belief [beyond paper 3.1.1]: how likely chains that a rule of links keeps apart are one thing.

Each chain counts as one thing. The logarithm of the odds of two is what a prior gives by their features, and what the
answers about their mentions weigh.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from annotation.rules.link_group import Link, SameObject
from annotation.rules.transitivity import LinkMention, Pair, connected, positions, reading_order
from belief.links.answer_model import CrowdErrors, LinkAnswer, weigh
from belief.links.beam import Beam, beam_search
from belief.links.group_belief import BEAM, CERTAIN
from belief.links.join_features import chain_pairs
from belief.links.link_prior import LinkPrior
from belief.links.partitions import SIZES, Flags, PartitionWeights, Posterior, Scores, all_partitions, posterior
from workers.rules.score import logit

MIN_CHANCE = 0.004
"""Two chains are not weighed together if the chance that they are one thing is smaller: no answer would tell enough."""
IMPOSSIBLE, LOWEST_LOGIT = -1000.0, -100.0
"""The logit of two chains that the rules allow to be one thing, as answers say that they are not; and a safe one."""

SPLIT_LOGIT, WORDS_WEIGHT = -2.0, 1.5
"""The odds of two chains of two parts of a group, by the mean weight of their words: chosen on made narrations."""
CACHED_IMAGES = 16
"""The number of images whose odds of this kind are kept: of sixty chains, 29 kB each."""


class JoinBelief(NamedTuple):
    """The belief about chains that a rule keeps apart. Chains have their places in a list."""

    parts: tuple[tuple[int, ...], ...]
    """Chains of which some may be one thing with others, two or more together."""
    posteriors: tuple[Posterior | Beam, ...]
    """Of each part: which of its chains are one thing."""
    chances: Mapping[Link, float]
    """The chance, 0 to 1, of two chains to be one thing; pairs that cannot be are left out."""
    labels: tuple[int, ...]
    """For each chain the first chain that it is one thing with in the likeliest case."""
    whole: tuple[float, ...]
    """For each chain the chance, 0 to 1, that it is one thing with just these."""


def believe_joins(
    chains: Sequence[Sequence[LinkMention]],
    answers: Mapping[Pair, Sequence[LinkAnswer]],
    expert_links: Mapping[Pair, bool],
    prior: LinkPrior,
    errors: CrowdErrors,
) -> JoinBelief:
    """Weigh all chains of an image, in reading order. `answers`, `expert_links`: of pairs of mentions."""
    logits = _logits(chains, answers, expert_links, prior, errors)
    possible = logits >= logit(MIN_CHANCE)
    joined = [sum(1 << place for place in np.flatnonzero(row).tolist()) for row in possible]
    parts = tuple(tuple(positions(part)) for part in connected(joined) if part & (part - 1))
    left_out = np.where(possible, 0.0, 1 / (1 + np.exp(-np.maximum(logits, LOWEST_LOGIT))))
    labels, whole = list(range(len(chains))), (1 - left_out).prod(axis=1)
    chances: dict[Link, float] = {}
    posteriors = [_posterior(part, [chains[place][0] for place in part], possible, logits) for part in parts]
    for part, known in zip(parts, posteriors, strict=True):
        same, best = known.same_and_best()
        blocks = best.labels.tolist()
        for place, label, chance in zip(part, blocks, best.confidence.tolist(), strict=True):
            labels[place] = part[blocks.index(label)]
            whole[place] *= chance
        for (a, first), (b, second) in combinations(enumerate(part), 2):
            if possible[first, second]:
                chances[first, second] = float(same[a, b])
    return JoinBelief(parts, tuple(posteriors), chances, tuple(labels), tuple(whole.tolist()))


def _logits(
    chains: Sequence[Sequence[LinkMention]],
    answers: Mapping[Pair, Sequence[LinkAnswer]],
    expert_links: Mapping[Pair, bool],
    prior: LinkPrior,
    errors: CrowdErrors,
) -> Scores:
    """Return the logarithms of the odds [chains, chains]; IMPOSSIBLE for pairs that the rules allow."""
    apart, values, split = chain_pairs(chains)
    logits = np.where(apart, values @ prior.join_weights(), IMPOSSIBLE)
    if split.any():
        logits = np.where(split, _split_logits(SameObject(prior), tuple(map(tuple, chains))), logits)
    by_workers = {pair: judgments for pair, judgments in answers.items() if pair not in expert_links}
    for link, ratio in join_evidence(chains, apart, by_workers, prior, errors).items():
        logits[link] += ratio
        logits[link[::-1]] += ratio
    place = places_of(chains)
    for pair, same in expert_links.items():
        first, second = (place.get(number, 0) for number in pair)
        if apart[first, second]:
            logits[first, second] = logits[second, first] = CERTAIN if same else IMPOSSIBLE
    return logits


@lru_cache(maxsize=CACHED_IMAGES)
def _split_logits(prior: SameObject[LinkPrior], chains: tuple[tuple[LinkMention, ...], ...]) -> Scores:
    """Return the logarithms of the odds [chains, chains] if parts of a group alone keep two chains apart.

    These are not rare like chains that break a rule: what the nouns of both weigh in a group tells. Cached, as an image
    is planned again after each of its judgments.
    """
    mentions = sorted((mention for chain in chains for mention in chain), key=reading_order)
    words = prior.value.words(mentions)
    nouns = [[mention for mention in chain if not mention.pronoun] or list(chain) for chain in chains]
    share = np.array([[mention in chain for mention in mentions] for chain in nouns], dtype=np.float64)
    share /= share.sum(axis=1, keepdims=True)
    logits: Scores = SPLIT_LOGIT + WORDS_WEIGHT * (share @ words @ share.T)
    return logits


def join_evidence(
    chains: Sequence[Sequence[LinkMention]],
    apart: Flags,
    answers: Mapping[Pair, Sequence[LinkAnswer]],
    prior: LinkPrior,
    errors: CrowdErrors,
) -> dict[Link, float]:
    """Return for each two chains that are kept apart and about whose mentions somebody answered what that weighs."""
    place, evidence = places_of(chains), dict[Link, float]()
    for pair, judgments in answers.items():
        if judgments and place.keys() >= set(pair):
            first, second = sorted(place[number] for number in pair)
            if apart[first, second]:
                ratio = prior.temper * weigh(tuple(judgments), errors).ratio
                evidence[first, second] = evidence.get((first, second), 0.0) + ratio
    return evidence


def places_of(chains: Sequence[Sequence[LinkMention]]) -> dict[int, int]:
    """Return the place of the chain of each mention."""
    return {mention.number: place for place, chain in enumerate(chains) for mention in chain}


def in_order(a: LinkMention, b: LinkMention) -> Pair:
    """Return the numbers of two mentions in reading order."""
    return (a.number, b.number) if reading_order(a) < reading_order(b) else (b.number, a.number)


def _posterior(part: Sequence[int], firsts: Sequence[LinkMention], possible: Flags, logits: Scores) -> Posterior | Beam:
    """Return how likely the ways are in which the chains of a part can be one thing.

    `firsts`: the first mention of each of its chains, by which a search is gone on with.
    """
    where = np.ix_(part, part)
    ruled_out = ~possible[where] & ~np.eye(len(part), dtype=bool)
    weights = PartitionWeights(logits[where], np.zeros(ruled_out.shape), np.zeros((len(part), SIZES)))
    known = all_partitions(ruled_out, BEAM)
    return posterior(known, weights) if known else beam_search(tuple(firsts)).find(ruled_out, weights, BEAM)
