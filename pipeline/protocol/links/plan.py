"""Link plan [paper 3.1.1, figure 3]: what is known of a group's links, what to ask next, and the chains so far."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from itertools import combinations
from operator import or_

from annotation.rules.link_group import Link, LinkGroup, link_group
from annotation.rules.transitivity import LinkMention, Pair, connected, positions


class LinkSource(StrEnum):
    ASKED_YES = "asked yes"
    ASKED_NO = "asked no"
    REASKED = "re-asked"
    TRANSITIVITY = "inferred by transitivity"
    POSTERIOR = "inferred from the posterior"
    PROGRAM = "judged by a program"
    OVERRULED = "overruled"
    SPLIT = "split by verification"
    MERGED = "merged by boxes"
    EXPERT = "set by an expert"
    CAPTION = "ruled out by caption"
    TYPE = "ruled out by type"


def source_of_asked(votes: Sequence[bool], *, given: bool, overruled: bool) -> LinkSource:
    """Return the source of a link that an expert set or workers were asked about.

    `votes`: oldest first; none if no worker could answer. `given`: an expert set the link.
    """
    if given:
        return LinkSource.EXPERT
    if overruled:
        return LinkSource.OVERRULED
    if len(votes) > 1:
        return LinkSource.REASKED
    return LinkSource.ASKED_YES if votes and votes[0] else LinkSource.ASKED_NO


@dataclass(frozen=True, slots=True)
class LinkEvidence:
    """The links of a group that workers answered, that an expert set, or that no worker can answer (any more)."""

    group: LinkGroup
    votes: Mapping[Link, Sequence[bool]]
    """The votes on each judged link, oldest first; links that an expert set are left out."""
    given: Mapping[Link, bool]
    """The links that an expert set."""
    skipped: frozenset[Link]
    """The links that no worker can answer, with or without votes; links that an expert set are left out."""
    first: Mapping[Link, bool]
    """Every known link as placement sees it: as the expert set it, else its first vote, else "no" if skipped."""


def link_evidence(
    mentions: Sequence[LinkMention],
    votes: Mapping[Pair, Sequence[bool]],
    given: Mapping[Pair, bool],
    skipped: Collection[Pair],
) -> LinkEvidence:
    """Collect what concerns this group. A link that an expert set has no votes."""
    group = link_group(tuple(mentions))
    set_links = {link: verdict for pair, verdict in given.items() if (link := group.link(pair))}
    skipped_links = frozenset(link for pair in skipped if (link := group.link(pair)) and link not in set_links)
    counting = {
        link: cast for pair, cast in votes.items() if cast and (link := group.link(pair)) and link not in set_links
    }
    first = dict.fromkeys(skipped_links, False) | {link: cast[0] for link, cast in counting.items()} | set_links
    return LinkEvidence(group, counting, set_links, skipped_links, first)


class Verdicts:
    """The links of a group that are "yes" and those that are "no"; a pair ruled out by caption or type is "no"."""

    def __init__(self, group: LinkGroup, known: Iterable[tuple[Link, bool]]) -> None:
        self.yes = [0] * len(group.mentions)
        self.no = list(group.ruled_out)
        for link, verdict in known:
            self.set(link, verdict=verdict)

    def set(self, link: Link, *, verdict: bool) -> None:
        chosen, other = (self.yes, self.no) if verdict else (self.no, self.yes)
        for one, another in (link, link[::-1]):
            chosen[one] |= 1 << another
            other[one] &= ~(1 << another)

    def yes_links(self) -> list[Link]:
        """Return the "yes" links in reading order."""
        return [
            (one, another)
            for one, linked in enumerate(self.yes)
            for another in positions(linked >> (one + 1) << (one + 1))
        ]


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
    whole: Mapping[int, float] = field(default_factory=dict)
    """The chance, 0 to 1, that no other chain is the same thing as this one although a rule of links keeps them apart.

    By the first mention of a chain. Empty in projects that take the rules for certain.
    """
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
