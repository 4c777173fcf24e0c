"""Link group [paper 3.1.1]: the mentions that links can connect, and those pairs that caption or type rules out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from annotation.rules.transitivity import LinkMention, Pair, peers, place_of, reading_order

Link = tuple[int, int]
"""Two positions in the group, ascending."""


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """The mentions of a group in reading order, and for each position sets of positions (see `transitivity`)."""

    mentions: tuple[LinkMention, ...]
    place: Mapping[int, int]
    """The position of each mention number."""
    same_caption: tuple[int, ...]
    """The mentions of the same caption (part of it) with which it is never asked about, itself included."""
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
    same_caption = peers([((mention.caption, mention.part),) for mention in ordered])
    same_place = peers([(place_of(mention),) for mention in ordered])
    same_type = peers([mention.types for mention in ordered])
    everyone = (1 << len(ordered)) - 1
    return LinkGroup(
        mentions=ordered,
        place={mention.number: position for position, mention in enumerate(ordered)},
        same_caption=tuple(same_caption),
        same_type=tuple(same_type),
        ruled_out=tuple(
            (places | everyone & ~types) & ~(1 << position)
            for position, (places, types) in enumerate(zip(same_place, same_type, strict=True))
        ),
    )


V = TypeVar("V")


class SameObject(Generic[V]):
    """Equal to other keys of the very same object. A cache that holds the key holds the object, too."""

    __slots__ = ("value",)

    def __init__(self, value: V) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
