"""Link evidence [paper 3.1.1]: what is known of the links of a group, and the verdicts that follow."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.rules.link_group import Link, LinkGroup, link_group
from annotation.rules.transitivity import LinkMention, Pair, positions
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
    given: Mapping[Pair, bool],
    skipped: Collection[Pair],
) -> KnownLinks:
    """Collect what concerns this group. A link that an expert set has no votes."""
    group = link_group(tuple(mentions))
    set_links = {link: verdict for pair, verdict in given.items() if (link := group.link(pair))}
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


def source_of_known(votes: Sequence[bool], *, given: bool, overruled: bool) -> LinkSource:
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
