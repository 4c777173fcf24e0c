"""Adaptive strategy [beyond paper 3.1.1]: ask the pair whose answer tells most, until no answer tells enough."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, CrowdErrors, Heard, PairEvidence, weigh
from pipeline.rules.linking.adaptive.beam import beam_search
from pipeline.rules.linking.adaptive.posterior import BestPartition, posterior
from pipeline.rules.linking.adaptive.program_links import ProgramLinks, program_scores
from pipeline.rules.linking.adaptive.reask import VALUE, reask
from pipeline.rules.linking.link_plan import Link, LinkGroup, LinkPlan, LinkSource, link_group, source_of_asked
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.prior.partitions import Flags, Scores, Weights, all_partitions, ruled_out_matrix
from pipeline.rules.linking.prior.rule_keeping import chance_of_link
from pipeline.rules.linking.transitivity import LinkMention, Pair
from workers.rules.share import logit, sigmoid

BEAM = 2500
"""The number of partitions to weigh: all of a group of up to seven or eight mentions."""
CERTAIN = 1000.0
"""The weight of a link that an expert set: far more than all judgments of a mention's pairs add up to."""
LEAST = 1e-9
"""The least chance, so that it has a logit."""
TIRED, DOUBT = 4, 0.5
"""An expert takes over after this many judgments per pair, if more than this many chains are still expected wrong."""
DIGITS = 4
"""Decimal places of values and chances that are stored."""
NO_LINKS: Mapping[Pair, bool] = {}
NOTHING: Mapping[Pair, float] = {}


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything known of the links of one group, by the positions of the mentions."""

    group: LinkGroup
    heard: dict[Link, Sequence[Heard]]
    given: dict[Link, bool]
    skipped: frozenset[Link]
    open: NDArray[np.intp]
    """Pairs that may be asked at all, in reading order [pairs, 2]."""
    silence: PairEvidence
    """The evidence of each pair without judgments."""
    evidence: dict[Link, PairEvidence]
    """The evidence of each judged pair."""


def plan_adaptively(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[Heard]],
    *,
    prior: LinkPrior,
    stop: float,
    most: int = 15,
    errors: CrowdErrors = OF_PAPER,
    given: Mapping[Pair, bool] = NO_LINKS,
    skipped: Collection[Pair] = (),
    reask_share: float = 0.0,
    programs: Collection[ProgramLinks] = (),
) -> LinkPlan:
    """Plan one group. At most one pair is open, and the same arguments always give the same plan.

    `stop`: the bits that an answer must be expected to tell. `most`: judgments of one pair at most; if more would still
    tell enough, the pair is unsettled and an expert decides. `errors`: of the crowd. `given`: links that an expert set.
    `skipped`: pairs that no worker can answer. `reask_share`: pairs asked by lot for each judgment, see `reask`.
    `programs`: what programs predict. Raises ValueError for a pair that is not in reading order.
    """
    known = _known(mentions, heard, errors, given, skipped)
    best, chances, worth = _believe(known, prior, programs)
    telling = worth >= stop
    wanted = dict(zip(_links(known.open[telling]), worth[telling].round(9).tolist(), strict=True))
    askable = [] if _is_tired(known, best) else [link for link in wanted if _may_be_asked(known, link, most)]
    chains = _chains(known.group, best)
    if askable:
        # Of equal pairs the first in reading order is asked, on every machine.
        asked = max(askable, key=wanted.__getitem__)
        return _asking(known, chains, asked, round(wanted[asked], DIGITS))
    foretold = {link: chance for link, chance in _chances(known, chances) if _may_be_asked(known, link, most)}
    drawn = reask(known.group, sum(map(len, known.heard.values())), list(foretold), reask_share)
    if drawn:
        return _asking(known, chains, drawn, VALUE, {known.group.pair(drawn): foretold[drawn]})
    plan = _placed(known, best, chains, list(wanted))
    together = _together(known.group, _chances(known, chances))
    return replace(plan, together=together, confidence=_confidence(known.group, plan, prior))


def told_by_others(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[Heard]],
    *,
    prior: LinkPrior,
    errors: CrowdErrors = OF_PAPER,
    given: Mapping[Pair, bool] = NO_LINKS,
) -> dict[Pair, float]:
    """Return for each judged pair the chance, 0 to 1, that it is together by all but its own judgments."""
    known = _known(mentions, heard, errors, given, ())
    _, chances, _ = _believe(known, prior)
    together = dict(zip(_links(known.open), chances.clip(LEAST, 1 - LEAST).tolist(), strict=True))
    return {
        known.group.pair(link): sigmoid(logit(together[link]) - prior.temper * evidence.ratio)
        for link, evidence in known.evidence.items()
        if link in together
    }


def _known(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[Heard]],
    errors: CrowdErrors,
    given: Mapping[Pair, bool],
    skipped: Collection[Pair],
) -> _Known:
    group = link_group(tuple(mentions))
    set_links = {link: verdict for pair, verdict in given.items() if (link := group.link(pair))}
    judged = {
        link: said for pair, said in heard.items() if said and (link := group.link(pair)) and link not in set_links
    }
    possible = np.triu(~ruled_out_matrix(group.ruled_out), 1)
    for link in set_links:
        possible[link] = False
    return _Known(
        group,
        judged,
        set_links,
        frozenset(link for pair in skipped if (link := group.link(pair))),
        np.argwhere(possible),
        weigh((), errors),
        {link: weigh(tuple(said), errors) for link, said in judged.items()},
    )


def _is_tired(known: _Known, best: BestPartition) -> bool:
    """Return whether so much was asked that more answers would not settle a group that is still in doubt."""
    enough = sum(map(len, known.heard.values())) >= TIRED * len(known.open)
    return enough and best.wrong_chains() > DOUBT


def _may_be_asked(known: _Known, link: Link, most: int) -> bool:
    return link not in known.skipped and len(known.heard.get(link, ())) < most


# --- What is believed ---


def _believe(
    known: _Known, prior: LinkPrior, programs: Collection[ProgramLinks] = ()
) -> tuple[BestPartition, Scores, Scores]:
    """Return the best partition, and for each open pair the chance that it is together and what its answer would tell.

    The chance is between 0 and 1, the next answer's information in bits.
    """
    mentions, ruled_out = known.group.mentions, _apart(known)
    said, if_same, if_different = (np.full(ruled_out.shape, of_silence) for of_silence in known.silence)
    for link, (ratio, *next_yes) in known.evidence.items():
        said[link] = said[link[::-1]] = prior.temper * ratio
        if_same[link], if_different[link] = next_yes
    for link, same in known.given.items():
        said[link] = said[link[::-1]] = CERTAIN if same else 0.0
    words, sizes = prior.scores(mentions)
    weights = Weights(said, words + program_scores(mentions, programs) if programs else words, sizes)
    labels = all_partitions(ruled_out, BEAM)
    belief = beam_search(mentions).find(ruled_out, weights, BEAM) if labels is None else posterior(labels, weights)
    together, best = belief.same_and_best()
    places = tuple(known.open.T)
    return best, together[places], _bits_to_tell(together[places], if_same[places], if_different[places])


def _apart(known: _Known) -> Flags:
    """Return which pairs cannot be together [mentions, mentions].

    What is apart from a mention is apart from every mention that an expert joined to it, too. The beam search would
    learn this late, and could drop the right partition before.
    """
    ruled_out = ruled_out_matrix(known.group.ruled_out)
    if not known.given:
        return ruled_out
    joined = np.eye(len(ruled_out), dtype=bool)
    for link, same in known.given.items():
        where = joined if same else ruled_out
        where[link] = where[link[::-1]] = True
    for _ in range(len(joined).bit_length()):  # each step doubles the links that it follows
        joined = joined @ joined
    apart: Flags = joined @ ruled_out @ joined & ~joined
    for link, same in known.given.items():
        if not same:
            apart[link] = apart[link[::-1]] = True
    return apart


def _bits_to_tell(chances: Scores, if_same: Scores, if_different: Scores) -> Scores:
    """Return the mutual information, in bits, of the next answer and whether the pair is together, for each pair.

    `if_same`, `if_different`: the chances of "yes" in either case.
    """
    yes = chances * if_same + (1 - chances) * if_different
    bits: Scores = _bits(yes) - chances * _bits(if_same) - (1 - chances) * _bits(if_different)
    return bits


def _bits(chances: Scores) -> Scores:
    inside = (chances > 0) & (chances < 1)
    safe = np.where(inside, chances, 0.5)
    return np.where(inside, -safe * np.log2(safe) - (1 - safe) * np.log2(1 - safe), 0.0)


# --- What is made of it ---


def _chains(group: LinkGroup, best: BestPartition) -> tuple[tuple[int, ...], ...]:
    members: dict[int, list[int]] = {}
    for mention, label in zip(group.mentions, best.labels, strict=True):
        members.setdefault(int(label), []).append(mention.number)
    return tuple(map(tuple, members.values()))


def _links_right(group: LinkGroup, best: BestPartition) -> dict[int, float]:
    """Return the chance of each chain by its first mention, rounded so that every machine has the same."""
    chances: dict[int, float] = {}
    seen = set()
    for mention, label, chance in zip(group.mentions, best.labels, best.confidence, strict=True):
        if int(label) not in seen:
            seen.add(int(label))
            chances[mention.number] = round(min(float(chance), 1.0), 6)
    return chances


def _confidence(group: LinkGroup, plan: LinkPlan, prior: LinkPrior) -> dict[int, float]:
    mentions = {mention.number: mention for mention in group.mentions}
    return {
        chain[0]: prior.linked(plan.links_right[chain[0]], [mentions[number] for number in chain], group.mentions)
        for chain in plan.chains
    }


def _together(group: LinkGroup, chances: Iterable[tuple[Link, float]]) -> dict[Pair, float]:
    ends = ((link, chance, (group.mentions[place] for place in link)) for link, chance in chances)
    return {group.pair(link): round(chance_of_link(chance, *pair), 4) for link, chance, pair in ends}


def _asking(
    known: _Known,
    chains: tuple[tuple[int, ...], ...],
    asked: Link,
    value: float,
    foretold: Mapping[Pair, float] = NOTHING,
) -> LinkPlan:
    pair = known.group.pair(asked)
    return LinkPlan((pair,), chains, values={pair: value}, foretold=foretold)


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
        links_right=_links_right(group, best),
    )


def _chances(known: _Known, chances: Scores) -> Iterable[tuple[Link, float]]:
    """Return each open pair with the chance that it is together, rounded so that every machine has the same."""
    return zip(_links(known.open), chances.clip(0, 1).round(DIGITS).tolist(), strict=True)


def _links(pairs: NDArray[np.intp]) -> list[Link]:
    return [(one, another) for one, another in pairs.tolist()]


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
