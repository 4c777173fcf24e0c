"""Groups of mentions for tests of links, with answers that are right or drawn from known weights; and a plain beam."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

from annotation.rules.link_group import link_group
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import CrowdErrors, LinkAnswer
from belief.links.link_prior import LinkPrior
from belief.links.partitions import SIZES, Flags, PartitionWeights, all_partitions, posterior, ruled_out_matrix
from belief.links.refit_from_answers import JudgedGroup
from pipeline.policies.adaptive_links import GroupPlan, PlanInput, plan_adaptively
from pipeline.protocol.links.policy import LinkPlan

EVEN = LinkPrior({"": (0.0,) * 5})
YES, NO = LinkAnswer(True), LinkAnswer(False)
Known = Mapping[Pair, Sequence[LinkAnswer]]
HEADS = ("man", "boy", "player")
PLANTED = LinkPrior({"": (0.0, -1.0, -1.0, -1.0, 0.0)}, {"any pair": -1.0, "same head": 3.0})
"""A world in which only heads tell."""
ALIKE = [LinkMention(number, number, 1, frozenset({"people"}), "man", ("the", "man")) for number in range(2)]
OTHER = [ALIKE[0], ALIKE[1]._replace(head="boy", words=("the", "boy"))]
"""Two pairs: with the same head, and with another one."""


def people(count: int, captions: int = 5) -> list[LinkMention]:
    """One after another over the captions."""
    types, words = frozenset({"people"}), ("a", "man")
    made = [LinkMention(n, n % captions, n // captions, types, "man", words) for n in range(count)]
    return sorted(made, key=lambda mention: (mention.caption, mention.start))


def asked(plan: GroupPlan | LinkPlan) -> tuple[Pair, ...]:
    """Return the pairs that are asked about."""
    return tuple((ask.subject[0], ask.subject[1]) for ask in plan.asks)


def plan(mentions: Sequence[LinkMention], heard: Known | None = None, stop: float = 0.02, **more: object) -> GroupPlan:
    return plan_adaptively(PlanInput(mentions, heard or {}, prior=EVEN, stop=stop, **more))  # type: ignore[arg-type]


def ask_all(mentions: Sequence[LinkMention], gold: Mapping[int, int], stop: float = 0.02) -> tuple[GroupPlan, int]:
    """With workers who are always right. The plan at the end, and how many judgments it took."""
    heard: dict[Pair, list[LinkAnswer]] = {}
    while (now := plan(mentions, heard, stop)).asks:
        (pair,) = asked(now)
        heard.setdefault(pair, []).append(LinkAnswer(gold[pair[0]] == gold[pair[1]]))
    return now, sum(map(len, heard.values()))


def drawn(number: int, prior: LinkPrior, errors: CrowdErrors, seed: int, captions: int = 3) -> list[JudgedGroup]:
    """Draw groups of people, their chains by the prior, and one answer to each pair by the errors."""
    chance = Random(seed)
    return [_group(prior, errors, chance, captions) for _ in range(number)]


def _group(prior: LinkPrior, errors: CrowdErrors, chance: Random, captions: int) -> JudgedGroup:
    mentions = [
        LinkMention(number, number, 1, frozenset({"people"}), head, ("the", head))
        for number, head in enumerate(chance.choices(HEADS, k=captions))
    ]
    partitions = all_partitions(ruled_out_matrix(link_group(tuple(mentions)).ruled_out), 2500)
    assert partitions is not None
    labels = partitions.labels
    chances = posterior(partitions, prior.weights(mentions)).chances
    truth = labels[chance.choices(range(len(labels)), chances.tolist())[0]]
    heard = {}
    for one, another in combinations(range(captions), 2):
        same = bool(truth[one] == truth[another])
        wrong = chance.random() < (errors.false_negative if same else errors.false_positive)
        heard[one, another] = [LinkAnswer(same != wrong)]
    return JudgedGroup(mentions, heard)


def odds(prior: LinkPrior, pair: list[LinkMention]) -> float:
    """Of two mentions to be one chain, as a logarithm."""
    _, words, sizes, _ = prior.weights(pair)
    return float(words[0, 1] + sizes[0, 1] - sizes[0, 0] - sizes[1, 0])


def plain_beam(ruled_out: Flags, weights: PartitionWeights, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the labels of about the `width` likeliest partitions, each with its score."""
    kept: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    for mention in range(len(ruled_out)):
        larger = []
        for labels, _ in kept:
            for block in range(max(labels, default=-1) + 2):
                if not any(ruled_out[mention, other] for other, own in enumerate(labels) if own == block):
                    longer = (*labels, block)
                    larger.append((longer, plain_score(longer, weights)))
        best = sorted(range(len(larger)), key=lambda place: -round(larger[place][1], 9))[:width]
        kept = [larger[place] for place in sorted(best)]
    return kept


def plain_score(labels: tuple[int, ...], weights: PartitionWeights) -> float:
    """Return the sum over the blocks of what their pairs, words, sizes and antecedents add."""
    score = 0.0
    for block in set(labels):
        members = [mention for mention, own in enumerate(labels) if own == block]
        pairs = [(one, other) for one in members for other in members if one < other]
        score += sum(weights.pairs[pair] for pair in pairs)
        score += 2 / len(members) * sum(weights.words[pair] for pair in pairs)
        score += weights.sizes[members[0], min(len(members), SIZES) - 1]
        if weights.antecedents is not None:
            sums = (
                sum(weights.antecedents[one, other] for one in members[:place]) for place, other in enumerate(members)
            )
            score += sum(math.log(chance) for chance in list(sums)[1:])
    return score
