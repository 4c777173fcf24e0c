"""Posterior links [beyond paper 3.1.1]: the links of a placed group that do not follow from the asked links."""

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from pipeline.rules.linking.link_evidence import Verdicts, link_group
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import LinkMention, Pair, connected, positions


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
