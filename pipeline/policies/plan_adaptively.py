"""Adaptive strategy [beyond paper 3.1.1]: ask the pair whose answer tells most, until no answer tells enough."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from annotation.rules.link_group import Link, LinkGroup
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import OF_PAPER, CrowdErrors, Heard
from belief.links.group_belief import NO_LINKS, NOTHING, GroupKnown, believe, known_of, links_of
from belief.links.link_prior import LinkPrior
from belief.links.partitions import Scores
from belief.links.posterior import BestPartition
from belief.links.program_links import ProgramLinks
from belief.links.reask import VALUE, reask
from belief.links.rule_keeping import chance_of_link
from pipeline.protocol.links.plan import LinkPlan, LinkSource, source_of_asked

TIRED, DOUBT = 4, 0.5
"""An expert takes over after this many judgments per pair, if more than this many chains are still expected wrong."""
DIGITS = 4
"""Decimal places of values and chances that are stored."""


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
    jurors: Mapping[Pair, float] = NOTHING,
) -> LinkPlan:
    """Plan one group. At most one pair is open, and the same arguments always give the same plan.

    `stop`: the bits that an answer must be expected to tell. `most`: judgments of one pair at most; if more would still
    tell enough, the pair is unsettled and an expert decides. `errors`: of the crowd. `given`: links that an expert set.
    `skipped`: pairs that no worker can answer. `reask_share`: pairs asked by lot for each judgment, see `reask`.
    `programs`: what programs predict. `jurors`: see `told_by_jurors`. Raises ValueError for a pair that is not in
    reading order.
    """
    known = known_of(mentions, heard, errors, given, skipped, jurors)
    best, chances, worth = believe(known, prior, programs)
    telling = worth >= stop
    wanted = dict(zip(links_of(known.open[telling]), worth[telling].round(9).tolist(), strict=True))
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


def _is_tired(known: GroupKnown, best: BestPartition) -> bool:
    """Return whether so much was asked that more answers would not settle a group that is still in doubt."""
    enough = sum(map(len, known.heard.values())) >= TIRED * len(known.open)
    return enough and best.wrong_chains() > DOUBT


def _may_be_asked(known: GroupKnown, link: Link, most: int) -> bool:
    return link not in known.skipped and len(known.heard.get(link, ())) < most


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
    known: GroupKnown,
    chains: tuple[tuple[int, ...], ...],
    asked: Link,
    value: float,
    foretold: Mapping[Pair, float] = NOTHING,
) -> LinkPlan:
    pair = known.group.pair(asked)
    return LinkPlan((pair,), chains, values={pair: value}, foretold=foretold)


def _placed(
    known: GroupKnown, best: BestPartition, chains: tuple[tuple[int, ...], ...], unsettled: Sequence[Link]
) -> LinkPlan:
    group = known.group
    overruled = [link for link, said in known.heard.items() if majority(said) not in (None, _joined(best, link))]
    apart = {group.mentions[position].number for link in overruled for position in link}
    return LinkPlan(
        open=(),
        chains=chains,
        doubted=frozenset(chain[0] for chain in chains if apart.intersection(chain)),
        overruled=frozenset(map(group.pair, overruled)),
        unsettled=frozenset(map(group.pair, unsettled)),
        sources=_sources(known, best, overruled),
        links_right=_links_right(group, best),
    )


def _chances(known: GroupKnown, chances: Scores) -> Iterable[tuple[Link, float]]:
    """Return each open pair with the chance that it is together, rounded so that every machine has the same."""
    return zip(links_of(known.open), chances.clip(0, 1).round(DIGITS).tolist(), strict=True)


def _joined(best: BestPartition, link: Link) -> bool:
    return bool(best.labels[link[0]] == best.labels[link[1]])


def majority(said: Sequence[Heard]) -> bool | None:
    """Return what most of the answers say; None if there are as many of either."""
    yes = sum(one.same for one in said)
    return None if 2 * yes == len(said) else 2 * yes > len(said)


def _sources(known: GroupKnown, best: BestPartition, overruled: Collection[Link]) -> dict[Pair, LinkSource]:
    """Return the source of each pair that was asked or set. Programs are one of a pair that they alone were asked."""
    found = {
        link: LinkSource.PROGRAM for link, ratio in known.jurors.items() if ratio and (ratio > 0) == _joined(best, link)
    }
    found |= {link: _source(known, link, overruled) for link in (*known.heard, *known.given)}
    return {known.group.pair(link): found[link] for link in sorted(found)}


def _source(known: GroupKnown, link: Link, overruled: Collection[Link]) -> LinkSource:
    votes = [one.same for one in known.heard.get(link, ())]
    return source_of_asked(votes, given=link in known.given, overruled=link in overruled)
