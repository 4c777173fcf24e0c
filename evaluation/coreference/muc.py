"""MUC [Vilain and others 1995]: the fewest links that make a chain, and how many of them the other side has."""

from evaluation.coreference.chains import Chains
from evaluation.coreference.counts import Counts, shared


def muc(gold: Chains, response: Chains) -> Counts:
    """Return the links. Chains of one mention have none."""
    return Counts(*_found(response, gold), *_found(gold, response))


def _found(chains: Chains, others: Chains) -> tuple[int, int]:
    found = links = 0
    for chain in chains:
        parts = shared(chain, others)
        alone = len(chain) - sum(parts)
        found += len(chain) - len(parts) - alone
        links += len(chain) - 1
    return found, links
