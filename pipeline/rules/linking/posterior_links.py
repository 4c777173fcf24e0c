"""Links by the posterior [beyond paper 3.1.1]: links of a placed group that do not follow from those asked."""

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from pipeline.rules.linking.link_evidence import Verdicts, link_group
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import LinkMention, Pair, connected, positions


def posterior_links(mentions: Sequence[LinkMention], plan: LinkPlan) -> list[Pair]:
    """In reading order: the pairs that nobody was asked and that can corefer, unless they follow from known links.

    Two mentions are the same if known "yes" links connect them; they are different if what is connected to the one and
    to the other holds a known "no", or a pair that is ruled out.
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
