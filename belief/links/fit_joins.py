"""Fit of joins [beyond paper 3.1.1]: which facts tell that chains which a rule of links keeps apart are one thing."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from annotation.rules.transitivity import LinkMention, Pair, reading_order
from belief.links.answer_model import CrowdErrors, Heard
from belief.links.fit_rule_keeping import AnnotatedImage, parts_by_rules
from belief.links.join_belief import told_between
from belief.links.join_features import DEFAULT_JOINS, JOIN_FEATURES, chain_pairs
from belief.links.link_prior import LinkPrior
from belief.links.logistic import L2, fit_logistic
from belief.links.partitions import Scores
from workers.rules.share import sigmoid

DIGITS = 3
COSTS = np.array([0.25 if name == "any two chains" else L2 for name in JOIN_FEATURES])
"""The costs of weights that differ from those a project begins with.

How often chains break a rule differs most between projects, and a few answers tell it.
"""


class KnownJoins(NamedTuple):
    """Pairs of chains that a rule keeps apart, and what is known of them."""

    values: Scores
    """[pairs, JOIN_FEATURES]."""
    same: Scores
    """[pairs]: the chance, 0 to 1, that the two are one thing."""


def with_joins(prior: LinkPrior, images: Iterable[AnnotatedImage]) -> LinkPrior:
    """Return the prior with weights of joins as in these images. Without images it has the default."""
    known = [joins_of(*image) for image in images]
    return replace(prior, joins=fit_joins(known, DEFAULT_JOINS))


def joins_of(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> KnownJoins:
    """Return the pairs of the parts that links would make of known chains."""
    parts = _parts(mentions, chains)
    apart, values, split = chain_pairs([part for part, _ in parts])
    one, other = np.nonzero(np.triu(apart & ~split))
    same = [float(parts[a][1] == parts[b][1]) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    return KnownJoins(values[one, other], np.array(same))


def _parts(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> list[tuple[list[LinkMention], Hashable]]:
    """Return the parts that links would make of these chains, in reading order, each with the label of its chain."""
    members: dict[Hashable, list[LinkMention]] = {}
    for mention, chain in zip(mentions, chains, strict=True):
        members.setdefault(chain, []).append(mention)
    parts = [(part, chain) for chain, own in members.items() for part in parts_by_rules(own)]
    return sorted(parts, key=lambda one: reading_order(one[0][0]))


def joins_heard(
    mentions: Sequence[LinkMention],
    chains: Sequence[Hashable],
    heard: Mapping[Pair, Sequence[Heard]],
    prior: LinkPrior,
    errors: CrowdErrors,
) -> KnownJoins:
    """Return the pairs of parts of an image about whose mentions somebody answered.

    `chains`: for each mention the chain that the project has made; the parts are those that links made of it before.
    """
    parts = _parts(mentions, chains)
    own = [part for part, _ in parts]
    apart, values, split = chain_pairs(own)
    told = told_between(own, apart & ~split, heard, prior, errors)
    rows = [values[link] for link in told]
    begin = prior.join_weights()
    same = [sigmoid(float(row @ begin) + ratio) for row, ratio in zip(rows, told.values(), strict=True)]
    return KnownJoins(np.array(rows).reshape(-1, len(JOIN_FEATURES)), np.array(same))


def fit_joins(known: Sequence[KnownJoins], towards: Mapping[str, float]) -> dict[str, float]:
    """Return the weights by feature. `towards`: those without anything known."""
    begin = np.array([towards.get(name, 0.0) for name in JOIN_FEATURES])
    if not known:
        return dict(towards)
    values = np.concatenate([one.values for one in known])
    same = np.concatenate([one.same for one in known])
    found = begin + fit_logistic(values, values @ begin, same, np.ones(len(same)), COSTS)
    return {name: round(weight, DIGITS) for name, weight in zip(JOIN_FEATURES, found.tolist(), strict=True)}
