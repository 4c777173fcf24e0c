"""LEA [Moosavi and Strube 2016]: the share of each chain's links that the other side has, weighed by mentions."""

from evaluation.coreference.chains import Chains
from evaluation.coreference.counts import Counts, links


def lea(gold: Chains, response: Chains) -> Counts:
    """Return the sums of the shares by mentions, and the mentions. A chain of one mention has one link, to itself."""
    return Counts(*_found(response, gold), *_found(gold, response))


def _found(chains: Chains, others: Chains) -> tuple[float, int]:
    alone = {chain for chain in others if len(chain) == 1}
    found = 0.0
    for chain in chains:
        if len(chain) == 1:
            found += chain in alone
        else:
            shared = sum(links(len(chain & other)) for other in others)
            found += len(chain) * shared / links(len(chain))
    return found, sum(map(len, chains))
