"""Fit of antecedents [beyond paper 3.1.1]: weights of the facts about antecedents that make answers likeliest.

By expectation maximisation (Dempster, Laird and Rubin 1977). With the last weights and all answers the beam tells how
likely each mention begins its chain, and each earlier mention is of the same one; of the latter the antecedent is
likelier the more the last weights speak for it. Then Newton's method finds the weights that make these likeliest, a
concave problem, with a penalty on the squares of their distances from the given ones.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from annotation.rules.link_group import Link, link_group
from annotation.rules.transitivity import LinkMention
from belief.links.answer_model import CrowdErrors, LinkAnswer, weigh
from belief.links.antecedents import (
    ANTECEDENT_FEATURES,
    OF_TWO,
    AntecedentFacts,
    Antecedents,
    antecedent_facts,
    antecedents_of,
)
from belief.links.beam import BeamSearch
from belief.links.fit_link_prior import climb
from belief.links.lapses import added_by_lapses, chances_of_lapses, swept_links
from belief.links.partitions import SIZES, Flags, PartitionWeights, Scores, ruled_out_matrix

MIN_GAIN = 1e-6
"""A fit ends when a step promises a gain of less than this many nats a mention."""
BEAM = 300
"""The number of partitions by which a group's antecedents are expected."""
WEIGHT_DIGITS = 4


class LongGroup(NamedTuple):
    """One group of mentions of long captions, and people's answers about its pairs by their positions."""

    facts: AntecedentFacts
    ruled_out: Flags
    answers: Mapping[Link, tuple[LinkAnswer, ...]]
    model_evidence: Mapping[Link, float]
    """As in `JudgedGroup`."""


class AntecedentExpectation(NamedTuple):
    """Sums over one group, by answers and weights together."""

    antecedents: Antecedents
    """Chances: the sum of a mention's is 1."""
    same: Scores
    """[mentions, mentions]: the chance of each pair to be one thing."""
    lapses: Scores
    """[sweeps]: the chance that the answer to a sweep is a lapse."""


def long_group(
    mentions: Sequence[LinkMention],
    answers: Mapping[Link, tuple[LinkAnswer, ...]],
    model_evidence: Mapping[Link, float],
) -> LongGroup:
    """Return a group for the fit. `mentions`: in reading order. `answers`: oldest first."""
    ruled_out = ruled_out_matrix(link_group(tuple(mentions)).ruled_out)
    return LongGroup(antecedent_facts(mentions), ruled_out, answers, model_evidence)


def expect(group: LongGroup, weights: Mapping[str, float], errors: CrowdErrors) -> AntecedentExpectation:
    """Return what the answers about a group and these weights say of its antecedents."""
    pairs: Scores = np.zeros(group.ruled_out.shape)
    for link, answers in group.answers.items():
        pairs[link] = pairs[link[::-1]] = weigh(answers, errors).ratio
    for link, ratio in group.model_evidence.items():
        pairs[link] = pairs[link[::-1]] = pairs[link] + ratio
    before = antecedents_of(group.facts, weights, group.ruled_out)
    sizes = np.repeat(np.log(before.begin)[:, None], SIZES, axis=1)
    words: Scores = np.zeros(group.ruled_out.shape)
    beam = BeamSearch().find(group.ruled_out, PartitionWeights(pairs, words, sizes, before.join), BEAM)
    swept, lapses = swept_links(group.answers), np.empty(0)
    if swept:
        beam = beam.with_blocks(added_by_lapses(swept, beam.members, errors))
        lapses = chances_of_lapses(swept, *beam.blocks(), errors)
    same, begin = beam.same(), beam.begin()
    join = before.join * same
    total = join.sum(axis=0)
    join *= np.divide(1 - begin, total, out=np.zeros_like(total), where=total > 0)
    return AntecedentExpectation(Antecedents(join, begin), same, lapses)


def fit_antecedents(
    groups: Sequence[LongGroup],
    expected: Sequence[AntecedentExpectation],
    towards: Mapping[str, float],
    l2: float,
    start: Mapping[str, float],
) -> dict[str, float]:
    """Return the weights that make the expected antecedents likeliest. `l2`: the cost of leaving `towards`."""
    given = np.array([towards.get(name, 0.0) for name in ANTECEDENT_FEATURES])
    begun = np.array([start.get(name, 0.0) for name in ANTECEDENT_FEATURES])

    def likelihood(weights: Scores) -> tuple[float, Scores, Scores]:
        value = -l2 * float((weights - given) @ (weights - given)) / 2
        gradient, curvature = -l2 * (weights - given), l2 * np.eye(len(weights))
        now = dict(zip(ANTECEDENT_FEATURES, weights.tolist(), strict=True))
        for group, target in zip(groups, expected, strict=True):
            chances = antecedents_of(group.facts, now, group.ruled_out)
            value += _value(target.antecedents, chances)
            _add_slopes(group, target.antecedents, chances, gradient, curvature)
        return value, gradient, curvature

    weights = climb(likelihood, begun, MIN_GAIN * sum(len(group.ruled_out) for group in groups))
    return dict(zip(ANTECEDENT_FEATURES, weights.round(WEIGHT_DIGITS).tolist(), strict=True))


def _value(target: Antecedents, now: Antecedents) -> float:
    """Return the expected log likelihood of the antecedents of one group."""
    with np.errstate(divide="ignore", invalid="ignore"):
        join = np.where(target.join > 0, target.join * np.log(now.join), 0.0)
        begin = np.where(target.begin > 0, target.begin * np.log(now.begin), 0.0)
    return float(join.sum() + begin.sum())


def _add_slopes(group: LongGroup, target: Antecedents, now: Antecedents, gradient: Scores, curvature: Scores) -> None:
    """Add the gradient of one group, and its second derivatives with the sign changed."""
    of_two, of_beginning = group.facts
    two, beginning = slice(0, len(OF_TWO)), slice(len(OF_TWO), None)
    gradient[two] += np.einsum("am,amf->f", target.join - now.join, of_two)
    gradient[beginning] += (target.begin - now.begin) @ of_beginning
    mean = np.concatenate([np.einsum("am,amf->mf", now.join, of_two), now.begin[:, None] * of_beginning], axis=1)
    rows = of_two.reshape(-1, len(OF_TWO))
    curvature[two, two] += rows.T @ (now.join.reshape(-1, 1) * rows)
    curvature[beginning, beginning] += of_beginning.T @ (now.begin[:, None] * of_beginning)
    curvature -= mean.T @ mean
