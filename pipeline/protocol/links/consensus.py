"""Consensus [paper 3.1.1]: the "plus" strategies ask contradicting links again and overrule what still contradicts.

A contradiction is a "no" between the ends of a path of "yes" links. A group of sixty mentions can hold millions, so
they are never listed: the first that still matters is found. Sets of positions are ints, as in `transitivity`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.rules.link_group import Link, LinkGroup, link_group
from annotation.rules.transitivity import LinkMention, Pair, connected, positions, union
from pipeline.protocol.state.progress import LinkSource


@dataclass(frozen=True, slots=True)
class KnownLinks:
    """The links of a group that workers answered, that an expert set, or that no worker can answer (any more)."""

    group: LinkGroup
    votes: Mapping[Link, Sequence[bool]]
    """The votes on each judged link, oldest first; links that an expert set are left out."""
    by_expert: Mapping[Link, bool]
    """The links that an expert set."""
    skipped: frozenset[Link]
    """The links that no worker can answer, with or without votes; links that an expert set are left out."""
    first: Mapping[Link, bool]
    """Every known link as placement sees it: as the expert set it, else its first vote, else "no" if skipped."""


def known_links(
    mentions: Sequence[LinkMention],
    votes: Mapping[Pair, Sequence[bool]],
    expert_links: Mapping[Pair, bool],
    skipped: Collection[Pair],
) -> KnownLinks:
    """Collect what concerns this group. A link that an expert set has no votes."""
    group = link_group(tuple(mentions))
    set_links = {link: verdict for pair, verdict in expert_links.items() if (link := group.link(pair))}
    skipped_links = frozenset(link for pair in skipped if (link := group.link(pair)) and link not in set_links)
    counting = {
        link: cast for pair, cast in votes.items() if cast and (link := group.link(pair)) and link not in set_links
    }
    first = dict.fromkeys(skipped_links, False) | {link: cast[0] for link, cast in counting.items()} | set_links
    return KnownLinks(group, counting, set_links, skipped_links, first)


class Verdicts:
    """The links of a group that are "yes" and those that are "no"; a pair ruled out by caption or type is "no"."""

    def __init__(self, group: LinkGroup, known: Iterable[tuple[Link, bool]]) -> None:
        self.yes = [0] * len(group.mentions)
        self.no = list(group.ruled_out)
        for link, verdict in known:
            self.set(link, verdict=verdict)

    def set(self, link: Link, *, verdict: bool) -> None:
        chosen, other = (self.yes, self.no) if verdict else (self.no, self.yes)
        for first, second in (link, link[::-1]):
            chosen[first] |= 1 << second
            other[first] &= ~(1 << second)

    def yes_links(self) -> list[Link]:
        """Return the "yes" links in reading order."""
        return [
            (first, second)
            for first, linked in enumerate(self.yes)
            for second in positions(linked >> (first + 1) << (first + 1))
        ]


def source_of_known(votes: Sequence[bool], *, by_expert: bool, overruled: bool) -> LinkSource:
    """Return the source of a link that an expert set or workers were asked about.

    `votes`: oldest first; none if no worker could answer. `given`: an expert set the link.
    """
    if by_expert:
        return LinkSource.EXPERT
    if overruled:
        return LinkSource.OVERRULED
    if len(votes) > 1:
        return LinkSource.REASKED
    return LinkSource.ASKED_YES if votes and votes[0] else LinkSource.ASKED_NO


Path = tuple[int, ...]
Rank = tuple[int, int, Path]
"""Length of the path, the negative mark of its positions, the path itself: the smallest comes first."""


@dataclass(slots=True)
class Searched:
    """Results of earlier searches of the same verdicts, when more links were fresh: most of a search is spared."""

    first: int = 0
    """The first position that may be the earliest one of a triangle."""
    longer: dict[int, Rank] = field(default_factory=dict)
    """By the position where longer paths begin, a rank that none of them comes before: that of the first, if it has
    a path.
    """


def first_contradiction(
    yes: Sequence[int], no: Sequence[int], fresh: Sequence[int], searched: Searched | None = None
) -> Path | None:
    """Return the first contradiction with a fresh link, as the positions along its path; None if there is none.

    A contradiction is a shortest path of "yes" links between the ends of a "no". The shortest paths come first, then
    reading order of the positions on the path, then of the path, which begins at the earlier of its ends. `yes[i]`,
    `no[i]` and `fresh[i]` are the sets of positions whose link with i is known to be that.

    `searched`: is filled, and given again as long as no verdict changes and no link becomes fresh.
    """
    searched = searched or Searched()
    return _first_triangle(yes, no, fresh, searched) or _first_longer(yes, no, fresh, searched)


def _first_triangle(yes: Sequence[int], no: Sequence[int], fresh: Sequence[int], searched: Searched) -> Path | None:
    """Return the first contradiction of three positions: two "yes" and a "no"."""
    for first in range(searched.first, len(yes)):
        searched.first = first
        if not yes[first]:
            continue
        for second in positions((yes[first] | no[first]) >> (first + 1) << (first + 1)):
            if yes[first] >> second & 1:
                thirds = yes[first] & no[second] | no[first] & yes[second]
            else:
                thirds = yes[first] & yes[second]
            if not fresh[first] >> second & 1:
                thirds &= fresh[first] | fresh[second]
            thirds = thirds >> (second + 1) << (second + 1)
            if thirds:
                third = next(positions(thirds))
                if not yes[first] >> second & 1:
                    return first, third, second
                return (first, second, third) if no[first] >> third & 1 else (second, first, third)
    return None


def _first_longer(yes: Sequence[int], no: Sequence[int], fresh: Sequence[int], searched: Searched) -> Path | None:
    """Return the first contradiction of four positions or more."""
    before_any = -(1 << len(yes))
    best: Rank = (len(yes) + 1, before_any, ())
    for start in range(len(yes)):
        rank = searched.longer.get(start, (0, before_any, ()))
        if rank >= best:
            continue
        if not _has_fresh(rank[2], fresh):
            most = min(best[0], len(yes))
            layers = _layers(yes, start, no[start] >> (start + 1) << (start + 1), most=most)
            found = _best_from(start, layers, yes, no, fresh) if len(layers) > 3 else None
            rank = searched.longer[start] = found or (most + 1, before_any, ())
        if rank[2] and rank < best:
            best = rank
    return best[2] or None


def _has_fresh(path: Path, fresh: Sequence[int]) -> bool:
    """Tell whether a link of the path, or that between its ends, is fresh."""
    return any(fresh[first] >> second & 1 for first, second in zip(path, (*path[1:], *path[:1]), strict=True))


def _layers(yes: Sequence[int], start: int, ends: int, *, most: int) -> list[int]:
    """Return the positions by their distance from `start` in "yes" links, up to the farthest of `ends`.

    Longer paths than `most` positions are of no use.
    """
    layers = [1 << start]
    seen = layers[0]
    while ends & ~seen and len(layers) < most:
        further = union(yes[position] for position in positions(layers[-1])) & ~seen
        if not further:
            break
        layers.append(further)
        seen |= further
    while not layers[-1] & ends and len(layers) > 1:
        layers.pop()
    return layers


def _best_from(
    start: int, layers: Sequence[int], yes: Sequence[int], no: Sequence[int], fresh: Sequence[int]
) -> Rank | None:
    """Return the first contradiction of four positions or more whose path begins at `start`.

    A set of positions has a mark, in which earlier positions stand for higher bits. Of two sets of one size, that with
    the larger mark comes first in reading order. So the best path to a position is one of the best to the layer before.
    """
    top = len(yes) - 1
    later_ends = no[start] >> (start + 1) << (start + 1)
    best = {start: 1 << (top - start)}
    best_fresh: dict[int, int] = {}
    layers = _leading_to(later_ends, layers, yes)
    for length, layer in enumerate(layers[1:], start=2):
        reached, reached_fresh = {}, {}
        for position in positions(layer):
            mark, before = 1 << (top - position), layers[length - 2] & yes[position]
            reached[position] = mark | max(best[previous] for previous in positions(before))
            marks = [best_fresh[previous] for previous in positions(before) if previous in best_fresh]
            marks += [best[previous] for previous in positions(before & fresh[position])]
            if marks:
                reached_fresh[position] = mark | max(marks)
        best, best_fresh = reached, reached_fresh
        if length < 4:
            continue
        found = [
            (length, -mark, _path(mark, layers[:length], top))
            for end in positions(layer & later_ends)
            if (mark := best[end] if fresh[start] >> end & 1 else best_fresh.get(end, 0))
        ]
        if found:
            return min(found)
    return None


def _leading_to(ends: int, layers: Sequence[int], yes: Sequence[int]) -> list[int]:
    """Return the layers without the positions that are on no path to one of `ends` at a distance of three or more."""
    leading, useful = 0, []
    for distance in range(len(layers) - 1, -1, -1):
        leading = union(yes[position] for position in positions(leading)) | (ends if distance > 2 else 0)
        leading &= layers[distance]
        useful.append(leading)
    return useful[::-1]


def _path(mark: int, layers: Sequence[int], top: int) -> Path:
    """Return the positions of a mark, which holds one of each layer."""
    return tuple(next(position for position in positions(layer) if mark >> (top - position) & 1) for layer in layers)


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
        open_links = ((link, evidence.votes[link]) for link in asked if link not in unsettled)
        waiting = [link for link, votes in open_links if abs(margin(votes)) < lead and len(votes) < most]
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
