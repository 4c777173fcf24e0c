"""Link plan [paper 3.1.1]: what a strategy decides about a group after each judgment: what to ask, and the chains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import or_

from pipeline.rules.linking.link_evidence import Verdicts, link_group
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import LinkMention, Pair, connected, positions


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """The pairs to ask now about a group, and its chains so far."""

    open: tuple[Pair, ...]
    """The pairs that need one more judgment now. None: all mentions of the group are placed."""
    chains: tuple[tuple[int, ...], ...]
    """The chains so far: mention numbers in reading order, chains by their first mention."""
    doubted: frozenset[int] = frozenset()
    """The first mentions of chains that an overruled link touches. Empty, like all below, while a pair is open."""
    overruled: frozenset[Pair] = frozenset()
    """Pairs whose answer was not followed, because other links contradict it."""
    unsettled: frozenset[Pair] = frozenset()
    """Pairs without consensus: no worker can answer them, or no side led at the limit. Their chains need an expert."""
    sources: Mapping[Pair, LinkSource] = field(default_factory=dict)
    """The source of each pair that was asked or that an expert set; in the paper's strategies of skipped pairs, too."""
    confidence: Mapping[int, float] = field(default_factory=dict)
    """The chance, 0 to 1, that a chain is right, by its first mention. Empty for the strategies of the paper."""
    links_right: Mapping[int, float] = field(default_factory=dict)
    """The same chance if no chain breaks the rules of links: that the chain has what links could give it."""
    together: Mapping[Pair, float] = field(default_factory=dict)
    """The chance, 0 to 1, of a pair to corefer. Empty while a pair is open, and for the strategies of the paper."""
    values: Mapping[Pair, float] = field(default_factory=dict)
    """The bits, 0 to 1, that the answer to an open pair is expected to tell. Empty for the strategies of the paper."""
    foretold: Mapping[Pair, float] = field(default_factory=dict)
    """The chance, 0 to 1, that an open pair is one thing, where the pair is a random re-ask (`adaptive/reask.py`)."""


def posterior_links(mentions: Sequence[LinkMention], plan: LinkPlan) -> list[Pair]:
    """Return the pairs, in reading order, that can corefer, were never asked and follow from no known links.

    Two mentions follow to be the same if known "yes" links connect them. They follow to be different if one of the
    mentions connected to the first and one of those connected to the second are a known "no" or ruled out.
    """
    group = link_group(tuple(mentions))
    chain_of = {number: chain[0] for chain in plan.chains for number in chain}
    known = [
        (link, chain_of[pair[0]] == chain_of[pair[1]])
        for pair, source in plan.sources.items()
        if source is not LinkSource.OVERRULED and pair not in plan.unsettled and (link := group.link(pair))
    ]
    verdicts = Verdicts(group, known)
    component_of = {position: part for part in connected(verdicts.yes) for position in positions(part)}
    apart = {part: reduce(or_, (verdicts.no[one] for one in positions(part)), 0) for part in component_of.values()}
    return [
        group.pair((one, other))
        for one, other in combinations(range(len(group.mentions)), 2)
        if not group.ruled_out[one] >> other & 1
        and group.pair((one, other)) not in plan.sources
        and component_of[one] != component_of[other]
        and not apart[component_of[one]] & component_of[other]
    ]
