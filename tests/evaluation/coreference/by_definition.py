"""Metrics of coreference once more, mention by mention and pair by pair as their papers define them, and slowly."""

from functools import cache
from itertools import combinations

from evaluation.coreference.chains import Chains, Mention


def figures(gold: Chains, response: Chains) -> dict[str, tuple[float, float]]:
    """Return precision and recall of each metric, 0 to 1; 0 where there is nothing to share."""
    same_gold, same_response = _pairs(gold), _pairs(response)
    other_gold, other_response = (_all_pairs(side) - _pairs(side) for side in (gold, response))
    return {
        "MUC": (_muc(response, gold), _muc(gold, response)),
        "B3": (_b_cubed(response, gold), _b_cubed(gold, response)),
        "CEAFm": _ceaf(gold, response, lambda one, other: len(one & other), lambda side: sum(map(len, side))),
        "CEAFe": _ceaf(gold, response, lambda one, other: 2 * len(one & other) / (len(one) + len(other)), len),
        "same": _shares(same_gold, same_response),
        "different": _shares(other_gold, other_response),
        "LEA": (_lea(response, gold), _lea(gold, response)),
    }


def _chain_of(mention: Mention, chains: Chains) -> frozenset[Mention]:
    return next((chain for chain in chains if mention in chain), frozenset())


def _muc(chains: Chains, others: Chains) -> float:
    """Return the share of the links that a spanning tree of each chain needs and that the others hold together."""
    needed = kept = 0
    for chain in chains:
        parts = {_chain_of(mention, others) or frozenset([("alone", mention)]) for mention in chain}
        needed += len(chain) - 1
        kept += len(chain) - len(parts)
    return kept / needed if needed else 0.0


def _b_cubed(chains: Chains, others: Chains) -> float:
    shares = [len(chain & _chain_of(mention, others)) / len(chain) for chain in chains for mention in chain]
    return sum(shares) / len(shares) if shares else 0.0


def _ceaf(gold: Chains, response: Chains, similarity, of) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    @cache
    def best(place: int, free: frozenset[int]) -> float:
        if place == len(gold):
            return 0.0
        alike = [one for one in free if gold[place] & response[one]]
        taken = [similarity(gold[place], response[one]) + best(place + 1, free - {one}) for one in alike]
        return max([best(place + 1, free), *taken])

    total = best(0, frozenset(range(len(response))))
    return tuple(total / of(side) if side else 0.0 for side in (response, gold))  # type: ignore[return-value]


def _lea(chains: Chains, others: Chains) -> float:
    total = importance = 0.0
    other_links = _self_links(others) | _pairs(others)
    for chain in chains:
        links = _self_links([chain]) | _pairs([chain])
        total += len(chain) * len(links & other_links) / len(links)
        importance += len(chain)
    return total / importance if importance else 0.0


def _self_links(chains: Chains) -> set[frozenset[Mention]]:
    return {chain for chain in chains if len(chain) == 1}


def _pairs(chains: Chains) -> set[frozenset[Mention]]:
    return {frozenset(pair) for chain in chains for pair in combinations(chain, 2)}


def _all_pairs(chains: Chains) -> set[frozenset[Mention]]:
    return {frozenset(pair) for pair in combinations([mention for chain in chains for mention in chain], 2)}


def _shares(gold: set[frozenset[Mention]], response: set[frozenset[Mention]]) -> tuple[float, float]:
    both = len(gold & response)
    return both / len(response) if response else 0.0, both / len(gold) if gold else 0.0
