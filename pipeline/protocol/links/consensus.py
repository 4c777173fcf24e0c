"""Consensus [paper 3.1.1]: the "plus" strategies ask contradicting links again and overrule what still contradicts."""

from collections.abc import Iterable, Sequence

from annotation.rules.link_group import Link
from annotation.rules.transitivity import connected, positions
from pipeline.protocol.links.contradiction import Path, Searched, first_contradiction
from pipeline.protocol.links.evidence import KnownLinks, Verdicts


def settle(evidence: KnownLinks, verdicts: Verdicts, *, lead: int, most: int) -> tuple[list[Link], frozenset[Link]]:
    """Treat the contradictions one at a time, shortest path first, and set `verdicts` to the majorities.

    Returns the links that need one more judgment each, of the first contradiction that needs any (none: all are
    treated). Also returns the links without consensus, which count as "no": no worker could answer them, or no side led
    at the limit.
    """
    fresh = _by_position(len(verdicts.yes), evidence.votes)
    unsettled = set(evidence.skipped)
    searched = Searched()
    # A contradiction without a fresh link would change nothing: each of its links has its majority, or no votes.
    while path := first_contradiction(verdicts.yes, verdicts.no, fresh, searched):
        asked = sorted(link for link in _links(path) if link in evidence.votes)
        waiting = [
            link
            for link in asked
            if link not in unsettled and not _is_decided(evidence.votes[link], lead=lead, most=most)
        ]
        if waiting:
            return waiting, frozenset(unsettled)
        unsettled.update(link for link in asked if margin(evidence.votes[link]) == 0)
        for first, second in asked:
            verdict = margin(evidence.votes[first, second]) > 0 and (first, second) not in unsettled
            if verdict != bool(verdicts.yes[first] >> second & 1):
                verdicts.set((first, second), verdict=verdict)
                searched = Searched()
            fresh[first] &= ~(1 << second)
            fresh[second] &= ~(1 << first)
    return [], frozenset(unsettled)


def _links(path: Path) -> list[Link]:
    """Return the links of a contradiction: those of the path, and the "no" between its ends."""
    return [(min(pair), max(pair)) for pair in zip(path, (*path[1:], path[0]), strict=True)]


def _by_position(size: int, links: Iterable[Link]) -> list[int]:
    """Return for each position the set of positions that it has one of these links with."""
    sets = [0] * size
    for first, second in links:
        sets[first] |= 1 << second
        sets[second] |= 1 << first
    return sets


def _is_decided(votes: Sequence[bool], *, lead: int, most: int) -> bool:
    return abs(margin(votes)) >= lead or len(votes) >= most


def margin(votes: Sequence[bool]) -> int:
    """Return how many more votes are "yes" than "no"."""
    return 2 * sum(votes) - len(votes)


def overrule(evidence: KnownLinks, verdicts: Verdicts, unsettled: frozenset[Link]) -> tuple[list[int], frozenset[Link]]:
    """Return the chains, and the "yes" links that are overruled because a settled "no" keeps their chains apart.

    Chains are sets of positions, ordered by their first. An expert's links always join; then the links with the largest
    margin join first, ties in reading order.
    """
    apart = _settled_no(verdicts, unsettled)
    chains = connected(verdicts.yes)
    if not any(apart[position] & chain for chain in chains for position in positions(chain)):
        return chains, frozenset()
    joined = [1 << position for position in range(len(apart))]
    overruled = set()
    for link in _by_margin(evidence, verdicts):
        first, second = (joined[position] for position in link)
        if first == second:
            continue
        if link not in evidence.by_expert and any(apart[position] & second for position in positions(first)):
            overruled.add(link)
            continue
        for position in positions(first | second):
            joined[position] = first | second
    return sorted(set(joined), key=lambda chain: chain & -chain), frozenset(overruled)


def _by_margin(evidence: KnownLinks, verdicts: Verdicts) -> list[Link]:
    def rank(link: Link) -> tuple[bool, int, Link]:
        return link not in evidence.by_expert, -margin(evidence.votes.get(link, ())), link

    return sorted(verdicts.yes_links(), key=rank)


def _settled_no(verdicts: Verdicts, unsettled: frozenset[Link]) -> list[int]:
    settled = list(verdicts.no)
    for first, second in unsettled:
        settled[first] &= ~(1 << second)
        settled[second] &= ~(1 << first)
    return settled
