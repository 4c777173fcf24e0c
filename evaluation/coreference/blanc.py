"""BLANC [Recasens and Hovy 2011; Luo and others 2014]: pairs that are one thing, and pairs that are two."""

from evaluation.coreference.chains import Chains
from evaluation.coreference.counts import Counts, links


def same_links(gold: Chains, response: Chains) -> Counts:
    """Return the pairs of mentions that are one thing."""
    both = _same_in_both(gold, response)
    return Counts(both, _same(response), both, _same(gold))


def different_links(gold: Chains, response: Chains) -> Counts:
    """Return the pairs of mentions that are two things. A mention that the other side lacks is in no pair there."""
    mentions, others = (frozenset().union(*side) for side in (gold, response))
    common = mentions & others
    same_of_gold, same_of_response = (_same([chain & common for chain in side]) for side in (gold, response))
    both = links(len(common)) - same_of_gold - same_of_response + _same_in_both(gold, response)
    return Counts(both, links(len(others)) - _same(response), both, links(len(mentions)) - _same(gold))


def _same(chains: Chains) -> int:
    return sum(links(len(chain)) for chain in chains)


def _same_in_both(gold: Chains, response: Chains) -> int:
    return sum(links(len(chain & other)) for chain in gold for other in response)
