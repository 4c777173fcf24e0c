"""Greedy strategy [paper 3.1.1]: place mentions one by one, each compared with one mention of each candidate chain."""

from pipeline.rules.linking.link_evidence import Link, LinkEvidence
from pipeline.rules.linking.transitivity import positions


def greedy_questions(evidence: LinkEvidence) -> list[Link]:
    """Return the links to ask to place the next mention, in reading order. None: all mentions are placed.

    A mention without a "yes" makes a new chain; several "yes" join all their chains.
    """
    chains: list[int] = []
    for mention in range(len(evidence.group.mentions)):
        unknown = sorted(_comparisons(evidence, chains, mention))
        if unknown:
            return unknown
        chains = _placed(evidence, chains, mention)
    return []


def _comparisons(evidence: LinkEvidence, chains: list[int], mention: int) -> list[Link]:
    """Return one link for each candidate that is not compared yet.

    A candidate is a chain with no mention of this caption and one that shares a type. It needs no comparison if
    an expert linked it to the mention, or kept it apart, or if another of its mentions was compared under an earlier
    strategy.
    """
    same_caption, same_type = evidence.group.same_caption[mention], evidence.group.same_type[mention]
    decided = sum(1 << one for one, another in evidence.given if another == mention)
    return [
        link
        for chain in chains
        if chain & same_type and not chain & same_caption and not chain & decided
        if (link := (_first(chain & same_type), mention)) not in evidence.first
        and not any((one, mention) in evidence.votes for one in positions(chain))
    ]


def _placed(evidence: LinkEvidence, chains: list[int], mention: int) -> list[int]:
    """Return the chains after the mention has joined every chain that a "yes" links it to."""
    joined = 1 << mention
    apart = []
    for chain in chains:
        if any(chain >> one & 1 for one in range(mention) if evidence.first.get((one, mention))):
            joined |= chain
        else:
            apart.append(chain)
    return [*apart, joined]


def _first(chain: int) -> int:
    return (chain & -chain).bit_length() - 1
