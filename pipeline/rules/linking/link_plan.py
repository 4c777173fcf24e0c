"""Link plans [paper 3.1.1]: what a strategy says of a group after each judgment: what to ask next, and the chains."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import Pair


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """What to ask now about a group, and what is known of it so far."""

    open: tuple[Pair, ...]
    """Every pair that needs one more judgment now; empty: the group is placed."""
    chains: tuple[tuple[int, ...], ...]
    """As far as they are known: mention numbers in reading order, chains by their first mention."""
    doubted: frozenset[int] = frozenset()
    """First mentions of the chains that an overruled link touches; this and what follows only when nothing is open."""
    overruled: frozenset[Pair] = frozenset()
    unsettled: frozenset[Pair] = frozenset()
    """Pairs without consensus: nobody can answer them, or no side led at the limit. Their chains need an expert."""
    sources: Mapping[Pair, LinkSource] = field(default_factory=dict)
    """Of every pair that was asked or set by an expert; with the strategies of the paper of skipped ones, too."""
    confidence: Mapping[int, float] = field(default_factory=dict)
    """By a chain's first mention: the chance that it is right, 0 to 1. Empty for the strategies of the paper."""
