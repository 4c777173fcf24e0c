"""B³ [Bagga and Baldwin 1998]: for each mention, the share of its chain that the other side puts with it."""

from evaluation.coreference.chains import Chains
from evaluation.coreference.counts import Counts, shared


def b_cubed(gold: Chains, response: Chains) -> Counts:
    """Return the sums of the shares, and the numbers of mentions. A mention that the other side lacks has share 0."""
    return Counts(*_found(response, gold), *_found(gold, response))


def _found(chains: Chains, others: Chains) -> tuple[float, int]:
    shares = sum(count * count / len(chain) for chain in chains for count in shared(chain, others))
    return shares, sum(map(len, chains))
