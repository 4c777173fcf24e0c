"""Fit of all that known chains teach of links [beyond paper 3.1.1]: the prior, rule keeping and joins.

How often the chains of annotated images break a rule of links is a logistic regression on the parts that links would
make of the known chains: by type, and by whether the part shares a head noun with a mention outside it. Another tells
which facts show that chains which a rule keeps apart are one thing. Weights are pulled towards the default, so that a
few images change little.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.transitivity import LinkMention, Pair, can_corefer, groups, reading_order
from belief.links.answer_model import CrowdErrors, LinkAnswer
from belief.links.fit_link_prior import GoldGroup, fit_link_prior
from belief.links.join_belief import join_evidence
from belief.links.join_features import DEFAULT_JOINS, JOIN_FEATURES, chain_pairs
from belief.links.link_prior import (
    ANY_TYPE,
    KEEPS_CAPTIONS,
    KEEPS_RULES,
    LinkPrior,
    RuleKeeping,
    block_type,
    shares_a_head,
)
from belief.links.partitions import Scores
from workers.rules.score import logit, sigmoid

L2 = 3.0
"""The cost of weights that differ from 0."""
STEPS = 20
"""Newton's method has then long ended: the objective is smooth and has one maximum."""
ROUNDING = 1e-9
"""A step may lose this much by rounding."""


def fit_logistic(columns: Scores, begins: Scores, true: Scores, counts: Scores, l2: float | Scores = L2) -> Scores:
    """Return the weights [columns] to add to the logits `begins` [facts].

    `columns`: [facts, columns]. `true`: how far each fact holds, 0 to 1. `counts`: how much each fact weighs. `l2`: the
    cost of a weight's distance from 0, for all or for each.
    """

    def gain(weights: Scores) -> float:
        logits = begins + columns @ weights
        return float(counts @ (true * logits - np.logaddexp(0, logits)) - (costs * weights) @ weights / 2)

    weights = np.zeros(columns.shape[1])
    costs = np.broadcast_to(np.asarray(l2, dtype=np.float64), weights.shape)
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-(begins + columns @ weights)))
        gradient = columns.T @ (counts * (true - chances)) - costs * weights
        curvature = (columns * (counts * chances * (1 - chances))[:, None]).T @ columns + np.diag(costs)
        step, reached = np.linalg.solve(curvature, gradient), gain(weights)
        while gain(weights + step) < reached - ROUNDING:  # where chances are near 0 or 1 a whole step leads too far
            step /= 2
        weights += step
    return weights


AnnotatedImage = tuple[Sequence[LinkMention], Sequence[Hashable]]
"""All mentions of an image, and for each the label of its chain."""
LabelledPart = tuple[list[LinkMention], Hashable]


class ChainPart(NamedTuple):
    """A chain as links would make it of a known one."""

    kind: str
    """Its type, as a prior has it."""
    sharing: bool
    """A mention outside it shares its head noun."""
    whole: bool
    """It is the known chain, and not a part of it."""


JOINED = 0.45
"""The share of parts that boxes join to the rest of their chain later, so that they are released whole.

Measured with `python -m studies campaign_cost` (simulated workers): 251 of 527 parts, and 5 % of all other chains.
"""
SHARE_DIGITS = 4


def with_rule_keeping(prior: LinkPrior, images: Iterable[AnnotatedImage]) -> LinkPrior:
    """Return the prior with shares of chains that keep the rules as in these images. Without images it has the default.

    Only gold tells: what links have made of an image keeps the rules always.
    """
    known = list(images)
    rules = [part for image in known for part in _parts(*image)]
    captions = [part for image in known for part in _parts_of_groups(*image)]
    keeps_rules, keeps_captions = _fit(rules, KEEPS_RULES, 1 - JOINED), _fit(captions, KEEPS_CAPTIONS, 1.0)
    return replace(prior, keeps_rules=keeps_rules, keeps_captions=keeps_captions)


def _fit(parts: Sequence[ChainPart], default: Mapping[str, RuleKeeping], weight: float) -> dict[str, RuleKeeping]:
    """Return the shares by type. `weight`: that of a part which is not a whole chain; a whole one weighs 1."""
    kinds = sorted({*default, *(part.kind for part in parts)} - {ANY_TYPE})
    begin = {kind: default.get(kind, default[ANY_TYPE]) for kind in (ANY_TYPE, *kinds)}
    columns = np.array([_columns(part.kind, kinds, shares=part.sharing) for part in parts]).reshape(-1, len(kinds) + 2)
    begins = np.array([logit(begin[part.kind][part.sharing]) for part in parts])
    whole = np.array([float(part.whole) for part in parts])
    weights = fit_logistic(columns, begins, whole, np.where(whole > 0, 1.0, weight))
    return {
        kind: RuleKeeping(
            _share(share.apart, float(_columns(kind, kinds, shares=False) @ weights)),
            _share(share.sharing, float(_columns(kind, kinds, shares=True) @ weights)),
        )
        for kind, share in begin.items()
    }


def _share(default: float, change: float) -> float:
    return round(min(max(sigmoid(logit(default) + change), 0.001), 0.999), SHARE_DIGITS)


def _columns(kind: str, kinds: Sequence[str], *, shares: bool) -> NDArray[np.float64]:
    """Return the columns of a part: one of all parts, one of each type, one of parts that share a head noun."""
    return np.array([1.0, *(float(kind == other) for other in kinds), float(shares)])


def _parts(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> Iterator[ChainPart]:
    """Yield the parts that links would make of each chain."""
    for chain in _members(mentions, chains).values():
        parts = parts_by_rules(chain)
        for part in parts:
            yield ChainPart(block_type(part), shares_a_head(part, mentions), len(parts) == 1)


def _members(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> dict[Hashable, list[LinkMention]]:
    members: dict[Hashable, list[LinkMention]] = {}
    for mention, chain in zip(mentions, chains, strict=True):
        members.setdefault(chain, []).append(mention)
    return members


def _parts_of_groups(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> Iterator[ChainPart]:
    """Yield the same of what each chain has in a group, as if that were a whole chain: types no longer count."""
    for group, labels in known_groups([(mentions, chains)]):
        yield from _parts(group, labels)


def parts_by_rules(chain: Iterable[LinkMention]) -> list[list[LinkMention]]:
    """Return the parts that links make of a chain: each mention is put into the first that the rules let it join."""
    parts: list[list[LinkMention]] = []
    for mention in sorted(chain, key=reading_order):
        fitting = (part for part in parts if all(can_corefer(mention, other) for other in part))
        part = next(fitting, None)
        if part is None:
            parts.append([mention])
        else:
            part.append(mention)
    return parts


JOIN_DIGITS = 3
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
    return replace(prior, joins=fit_joins([joins_of(*image) for image in images], DEFAULT_JOINS))


def joins_of(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> KnownJoins:
    """Return the pairs of the parts that links would make of known chains."""
    parts = _parts_of_chains(mentions, chains)
    apart, values, split = chain_pairs([part for part, _ in parts])
    one, other = np.nonzero(np.triu(apart & ~split))
    same = [float(parts[a][1] == parts[b][1]) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    return KnownJoins(values[one, other], np.array(same))


def _parts_of_chains(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> list[LabelledPart]:
    """Return the parts that links would make of these chains, in reading order, each with the label of its chain."""
    parts = [(part, chain) for chain, members in _members(mentions, chains).items() for part in parts_by_rules(members)]
    return sorted(parts, key=lambda labelled: reading_order(labelled[0][0]))


class LinkedImage(NamedTuple):
    """An image with its answers about links."""

    mentions: Sequence[LinkMention]
    chains: Sequence[Hashable]
    """Of each mention, as the project has made them."""
    answers: Mapping[Pair, Sequence[LinkAnswer]]


def joins_answered(image: LinkedImage, prior: LinkPrior, errors: CrowdErrors) -> KnownJoins:
    """Return the pairs of parts of an image about whose mentions somebody answered.

    The parts are those that links made of the chains before.
    """
    parts = _parts_of_chains(image.mentions, image.chains)
    phrases = [part for part, _ in parts]
    apart, values, split = chain_pairs(phrases)
    evidence = join_evidence(phrases, apart & ~split, image.answers, prior, errors)
    rows = [values[link] for link in evidence]
    begin = prior.join_weights()
    same = [sigmoid(float(row @ begin) + ratio) for row, ratio in zip(rows, evidence.values(), strict=True)]
    return KnownJoins(np.array(rows).reshape(-1, len(JOIN_FEATURES)), np.array(same))


def fit_joins(known: Sequence[KnownJoins], towards: Mapping[str, float]) -> dict[str, float]:
    """Return the weights by feature. `towards`: those without anything known."""
    begin = np.array([towards.get(name, 0.0) for name in JOIN_FEATURES])
    if not known:
        return dict(towards)
    values = np.concatenate([joins.values for joins in known])
    same = np.concatenate([joins.same for joins in known])
    found = begin + fit_logistic(values, values @ begin, same, np.ones(len(same)), COSTS)
    return {name: round(weight, JOIN_DIGITS) for name, weight in zip(JOIN_FEATURES, found.tolist(), strict=True)}


def fit_known(images: Iterable[AnnotatedImage], alike: Mapping[str, float] | None = None) -> LinkPrior:
    """Return the prior of images like these. `alike`: as in `fit_link_prior`. Raises ValueError if nothing is known."""
    known = list(images)
    prior = fit_link_prior(known_groups(known), alike=alike)
    return with_joins(with_rule_keeping(prior, known), known)


def known_groups(images: Iterable[AnnotatedImage]) -> Iterator[GoldGroup]:
    """Yield every group of mentions of these images."""
    for mentions, chains in images:
        chain_of = {mention.number: chain for mention, chain in zip(mentions, chains, strict=True)}
        for group in groups(mentions):
            yield group, [chain_of[mention.number] for mention in group]
