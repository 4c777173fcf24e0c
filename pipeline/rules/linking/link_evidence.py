"""Link evidence [paper 3.1.1]: everything known of the links of one group, by the positions of its mentions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.rules.linking.transitivity import LinkMention, Pair, peers, positions, reading_order

Link = tuple[int, int]
"""Two positions in the group, ascending."""


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """The mentions of a group in reading order, and for each position sets of positions (see `transitivity`)."""

    mentions: tuple[LinkMention, ...]
    place: Mapping[int, int]
    """The position of each mention number."""
    same_caption: tuple[int, ...]
    """The mentions of the same caption, itself included."""
    same_type: tuple[int, ...]
    """The mentions that share a type, itself included."""
    ruled_out: tuple[int, ...]
    """The mentions that it cannot corefer with, by caption or type; itself not included."""

    def link(self, pair: Pair) -> Link | None:
        """Return a pair's positions, None if it is of another group. Raises ValueError if out of reading order."""
        first, second = self.place.get(pair[0]), self.place.get(pair[1])
        if first is None or second is None:
            return None
        if first >= second:
            raise ValueError(f"Pair {pair}: name the mention first that is earlier in reading order.")
        return first, second

    def pair(self, link: Link) -> Pair:
        return self.mentions[link[0]].number, self.mentions[link[1]].number


@lru_cache(maxsize=1024)
def link_group(mentions: tuple[LinkMention, ...]) -> LinkGroup:
    """Return the group of these mentions. Cached, as a group is planned again after each of its judgments."""
    ordered = tuple(sorted(mentions, key=reading_order))
    same_caption = peers([(mention.caption,) for mention in ordered])
    same_type = peers([mention.types for mention in ordered])
    everyone = (1 << len(ordered)) - 1
    return LinkGroup(
        mentions=ordered,
        place={mention.number: position for position, mention in enumerate(ordered)},
        same_caption=tuple(same_caption),
        same_type=tuple(same_type),
        ruled_out=tuple(
            (captions | everyone & ~types) & ~(1 << position)
            for position, (captions, types) in enumerate(zip(same_caption, same_type, strict=True))
        ),
    )


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
