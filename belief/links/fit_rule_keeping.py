"""Fit of rule keeping [beyond paper 3.1.1]: how often the chains of annotated images break a rule of links.

A logistic regression on the parts that links would make of the known chains: by type, and by whether the part shares a
head noun with a mention outside it. Its weights are pulled towards the default, so that a few images change little.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.transitivity import LinkMention, can_corefer, groups, reading_order
from belief.links.link_prior import ANY_TYPE, LinkPrior, block_type
from belief.links.logistic import fit_logistic
from belief.links.rule_keeping import KEEPS_CAPTIONS, KEEPS_RULES, RuleKeeping, shares_a_head
from workers.rules.share import logit, sigmoid

AnnotatedImage = tuple[Sequence[LinkMention], Sequence[Hashable]]
"""All mentions of an image, and for each the label of its chain."""


class Part(NamedTuple):
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
DIGITS = 4


def with_rule_keeping(prior: LinkPrior, images: Iterable[AnnotatedImage]) -> LinkPrior:
    """Return the prior with shares of chains that keep the rules as in these images. Without images it has the default.

    Only gold tells: what links have made of an image keeps the rules always.
    """
    known = list(images)
    rules = [part for image in known for part in _parts(*image)]
    captions = [part for image in known for part in _parts_of_groups(*image)]
    return replace(
        prior,
        keeps_rules=_fit(rules, KEEPS_RULES, 1 - JOINED),
        keeps_captions=_fit(captions, KEEPS_CAPTIONS, 1.0),
    )


def _fit(parts: Sequence[Part], default: Mapping[str, RuleKeeping], weight: float) -> dict[str, RuleKeeping]:
    """Return the shares by type. `weight`: that of a part which is not a whole chain; a whole one weighs 1."""
    kinds = sorted({*default, *(part.kind for part in parts)} - {ANY_TYPE})
    begin = {kind: default.get(kind, default[ANY_TYPE]) for kind in (ANY_TYPE, *kinds)}
    columns = np.array([_columns(part.kind, kinds, shares=part.sharing) for part in parts]).reshape(-1, len(kinds) + 2)
    begins = np.array([logit(begin[part.kind][part.sharing]) for part in parts])
    whole = np.array([float(part.whole) for part in parts])
    weights = fit_logistic(columns, begins, whole, np.where(whole > 0, 1.0, weight))
    return {
        kind: RuleKeeping(
            _share(own.apart, float(_columns(kind, kinds, shares=False) @ weights)),
            _share(own.sharing, float(_columns(kind, kinds, shares=True) @ weights)),
        )
        for kind, own in begin.items()
    }


def _share(default: float, change: float) -> float:
    return round(min(max(sigmoid(logit(default) + change), 0.001), 0.999), DIGITS)


def _columns(kind: str, kinds: Sequence[str], *, shares: bool) -> NDArray[np.float64]:
    """Return the columns of a part: one of all parts, one of each type, one of parts that share a head noun."""
    return np.array([1.0, *(float(kind == one) for one in kinds), float(shares)])


def _parts(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> Iterator[Part]:
    """Yield the parts that links would make of each chain."""
    members: dict[Hashable, list[LinkMention]] = {}
    for mention, chain in zip(mentions, chains, strict=True):
        members.setdefault(chain, []).append(mention)
    for own in members.values():
        parts = parts_by_rules(own)
        for part in parts:
            yield Part(block_type(part), shares_a_head(part, mentions), len(parts) == 1)


def _parts_of_groups(mentions: Sequence[LinkMention], chains: Sequence[Hashable]) -> Iterator[Part]:
    """Yield the same of what each chain has in a group, as if that were a whole chain: types no longer count."""
    chain_of = {mention.number: chain for mention, chain in zip(mentions, chains, strict=True)}
    for group in groups(mentions):
        yield from _parts(group, [chain_of[mention.number] for mention in group])


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
