"""Adaptive strategy [beyond paper 3.1.1]: ask the pair whose answer tells most, until no answer tells enough."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.rules.linking.adaptive.answer_model import Heard, PairEvidence, weigh
from pipeline.rules.linking.adaptive.link_prior import LinkPrior
from pipeline.rules.linking.adaptive.partitions import (
    Flags,
    Weights,
    all_partitions,
    likely_partitions,
    ruled_out_matrix,
)
from pipeline.rules.linking.adaptive.posterior import BestPartition, posterior
from pipeline.rules.linking.link_evidence import Link, LinkGroup, link_group
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_source import LinkSource, source_of_asked
from pipeline.rules.linking.transitivity import LinkMention, Pair

BEAM = 2500
"""The number of partitions to weigh: all of a group of up to seven or eight mentions."""
CERTAIN = 1000.0
"""The weight of a link that an expert set: far more than all judgments of a mention's pairs add up to."""
TIRED, DOUBT = 4, 0.5
"""An expert takes over after this many judgments per pair, if more than this many chains are still expected wrong."""
NO_LINKS: Mapping[Pair, bool] = {}


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything known of the links of one group, by the positions of the mentions."""

    group: LinkGroup
    heard: dict[Link, Sequence[Heard]]
    given: dict[Link, bool]
    skipped: frozenset[Link]
    open: tuple[Link, ...]
    """Pairs that may be asked at all, in reading order."""
    evidence: dict[Link, PairEvidence]
    """The evidence of each of these pairs, and of each judged pair."""


def plan_adaptively(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[Heard]],
    *,
    prior: LinkPrior,
    stop: float,
    most: int = 15,
    given: Mapping[Pair, bool] = NO_LINKS,
    skipped: Collection[Pair] = (),
) -> LinkPlan:
    """Plan one group. At most one pair is open, and the same arguments always give the same plan.

    `stop`: the bits that an answer must be expected to tell. `most`: judgments of one pair at most; if more would still
    tell enough, the pair is unsettled and an expert decides. `given`: links that an expert set. `skipped`: pairs that
    no worker can answer. Raises ValueError for a pair that is not in reading order.
    """
    known = _known(mentions, heard, given, skipped)
    best, worth = _believe(known, prior)
    wanted = [link for link in known.open if worth[link] >= stop]
    askable = [] if _is_tired(known, best) else [link for link in wanted if _may_be_asked(known, link, most)]
    chains = _chains(known.group, best)
    if askable:
        # Of equal pairs the first in reading order is asked, on every machine.
        asked = max(askable, key=lambda link: round(worth[link], 9))
        return LinkPlan(open=(known.group.pair(asked),), chains=chains, confidence=_confidence(known.group, best))
    return _placed(known, best, chains, wanted)


def _known(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[Heard]],
    given: Mapping[Pair, bool],
    skipped: Collection[Pair],
) -> _Known:
    group = link_group(tuple(mentions))
    set_links = {link: verdict for pair, verdict in given.items() if (link := group.link(pair))}
    judged = {
        link: said for pair, said in heard.items() if said and (link := group.link(pair)) and link not in set_links
    }
    size = len(group.mentions)
    open_links = tuple(
        (one, another)
        for one in range(size)
        for another in range(one + 1, size)
        if not group.ruled_out[one] >> another & 1 and (one, another) not in set_links
    )
    silent = weigh(())
    return _Known(
        group,
        judged,
        set_links,
        frozenset(link for pair in skipped if (link := group.link(pair))),
        open_links,
        {link: weigh(judged[link]) if link in judged else silent for link in dict.fromkeys([*open_links, *judged])},
    )


def _is_tired(known: _Known, best: BestPartition) -> bool:
    """Return whether so much was asked that more answers would not settle a group that is still in doubt."""
    enough = sum(map(len, known.heard.values())) >= TIRED * len(known.open)
    return enough and best.wrong_chains() > DOUBT


def _may_be_asked(known: _Known, link: Link, most: int) -> bool:
    return link not in known.skipped and len(known.heard.get(link, ())) < most


# --- What is believed ---


def _believe(known: _Known, prior: LinkPrior) -> tuple[BestPartition, dict[Link, float]]:
    """Return the best partition, and for each open pair the bits that its next answer is expected to tell."""
    ruled_out = _apart(known)
    said = np.zeros(ruled_out.shape)
    for link, evidence in known.evidence.items():
        said[link] = said[link[::-1]] = evidence.ratio
    for link, same in known.given.items():
        said[link] = said[link[::-1]] = CERTAIN if same else 0.0
    weights = Weights(said, *prior.scores(known.group.mentions))
    labels = all_partitions(ruled_out, BEAM)
    if labels is None:
        labels = likely_partitions(ruled_out, weights, BEAM)
    belief = posterior(labels, weights)
    same_chances = belief.same()
    worth = {link: _bits_to_tell(float(same_chances[link]), known.evidence[link]) for link in known.open}
    return belief.best(), worth


def _apart(known: _Known) -> Flags:
    """Return which pairs cannot be together [mentions, mentions].

    What is apart from a mention is apart from every mention that an expert joined to it, too. The beam search would
    learn this late, and could drop the right partition before.
    """
    ruled_out = ruled_out_matrix(known.group.ruled_out)
    joined = np.eye(len(ruled_out), dtype=bool)
    for link, same in known.given.items():
        where = joined if same else ruled_out
        where[link] = where[link[::-1]] = True
    for _ in range(len(joined).bit_length() if known.given else 0):  # each step doubles the links that it follows
        joined = joined @ joined
    apart: Flags = joined @ ruled_out @ joined & ~joined
    for link, same in known.given.items():
        if not same:
            apart[link] = apart[link[::-1]] = True
    return apart


def _bits_to_tell(chance: float, evidence: PairEvidence) -> float:
    """Return the mutual information, in bits, of the next answer and whether the pair is together."""
    chance = min(max(chance, 0.0), 1.0)
    if_same, if_different = evidence.yes_if_same, evidence.yes_if_different
    yes = chance * if_same + (1 - chance) * if_different
    return _bits(yes) - chance * _bits(if_same) - (1 - chance) * _bits(if_different)


def _bits(chance: float) -> float:
    if chance <= 0 or chance >= 1:
        return 0.0
    return -chance * math.log2(chance) - (1 - chance) * math.log2(1 - chance)


# --- What is made of it ---


def _chains(group: LinkGroup, best: BestPartition) -> tuple[tuple[int, ...], ...]:
    members: dict[int, list[int]] = {}
    for mention, label in zip(group.mentions, best.labels, strict=True):
        members.setdefault(int(label), []).append(mention.number)
    return tuple(map(tuple, members.values()))


def _confidence(group: LinkGroup, best: BestPartition) -> dict[int, float]:
    """Return the confidence of each chain by its first mention, rounded so that every machine has the same."""
    confidence: dict[int, float] = {}
    seen = set()
    for mention, label, chance in zip(group.mentions, best.labels, best.confidence, strict=True):
        if int(label) not in seen:
            seen.add(int(label))
            confidence[mention.number] = round(min(float(chance), 1.0), 6)
    return confidence


def _placed(
    known: _Known, best: BestPartition, chains: tuple[tuple[int, ...], ...], unsettled: Sequence[Link]
) -> LinkPlan:
    group = known.group
    overruled = [link for link, said in known.heard.items() if _majority(said) not in (None, _joined(best, link))]
    apart = {group.mentions[position].number for link in overruled for position in link}
    return LinkPlan(
        open=(),
        chains=chains,
        doubted=frozenset(chain[0] for chain in chains if apart.intersection(chain)),
        overruled=frozenset(map(group.pair, overruled)),
        unsettled=frozenset(map(group.pair, unsettled)),
        sources={group.pair(link): _source(known, link, overruled) for link in _touched(known)},
        confidence=_confidence(group, best),
    )


def _joined(best: BestPartition, link: Link) -> bool:
    return bool(best.labels[link[0]] == best.labels[link[1]])


def _majority(said: Sequence[Heard]) -> bool | None:
    yes = sum(one.same for one in said)
    return None if 2 * yes == len(said) else 2 * yes > len(said)


def _touched(known: _Known) -> list[Link]:
    return sorted({*known.heard, *known.given})


def _source(known: _Known, link: Link, overruled: Collection[Link]) -> LinkSource:
    votes = [one.same for one in known.heard.get(link, ())]
    return source_of_asked(votes, given=link in known.given, overruled=link in overruled)
