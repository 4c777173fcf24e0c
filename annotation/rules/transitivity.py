"""Transitivity [paper 3.1.1]: which mentions can corefer, and which links follow from known ones.

The n mentions of a group have positions 0 to n - 1 in reading order. A set of positions is an int whose bit i stands
for position i: groups are small, and a group is planned after every judgment, so this must be fast.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

Part = tuple[int, int]
"""A part of a caption: the numbers of a mention's sentence, and of its first word, counted from 1."""
WHOLE: Part = (0, 0)


class LinkMention(NamedTuple):
    """A mention as the rules of links see it.

    `start`: the position of its first word in the caption. `head`: its last word, lower-cased. `words`: all its words,
    lower-cased. `before`: some words of the caption right before it, lower-cased; none if they are not known.
    `vector`: see `prior.phrase_vectors`; empty if it has none. Only the adaptive strategy reads the words and vectors.
    `reference_rank`: 0, unless a checked data set holds it and another mention of its caption to be one thing.
    `part`: see `part_of`; that of the whole caption, unless the project goes beyond the rules of links.
    `pronoun`: whether it is one by its type, in projects that keep pronouns.
    """

    number: int
    caption: int
    start: int
    types: frozenset[str]
    head: str
    words: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    vector: str = ""
    reference_rank: int = 0
    part: Part = WHOLE
    pronoun: bool = False


Pair = tuple[int, int]
"""The numbers of two mentions, the one earlier in reading order first."""


def reading_order(mention: LinkMention) -> tuple[int, int]:
    return mention.caption, mention.start


def can_corefer(a: LinkMention, b: LinkMention) -> bool:
    """Return whether the pair may be one thing: the captions (clauses, parts) differ, and the mentions share a type."""
    return place_of(a) != place_of(b) and not a.types.isdisjoint(b.types)


def place_of(mention: LinkMention) -> tuple[int, int, Part]:
    """Return the part of the captions in which no other mention is the same thing."""
    return mention.caption, mention.reference_rank, mention.part


def part_of(sentence: int, start: int) -> Part:
    """Return the part that a mention has to itself: it may be one thing with any other of its caption.

    So are pronouns, and all mentions of captions of several sentences, where the rules of links are not law.
    """
    return sentence, start + 1


def peers(keys: Sequence[Collection[object]]) -> list[int]:
    """Return, for each position, the set of positions that share a key with it; it is one of them."""
    holders: dict[object, int] = {}
    for position, own_keys in enumerate(keys):
        for key in own_keys:
            holders[key] = holders.get(key, 0) | 1 << position
    return [union(holders[key] for key in own_keys) | 1 << position for position, own_keys in enumerate(keys)]


def connected(neighbours: Sequence[int]) -> list[int]:
    """Return the connected components as sets of positions, ordered by their first position.

    `neighbours[i]` is the set of positions that i is linked to; links go both ways.
    """
    components = []
    left = (1 << len(neighbours)) - 1
    while left:
        component, fresh = 0, left & -left
        while fresh:
            component |= fresh
            fresh = union(neighbours[position] for position in positions(fresh)) & ~component
        components.append(component)
        left &= ~component
    return components


PLANNED_WHOLE = 60
"""A group of so many mentions is planned as one: its next question is found in milliseconds, of 200 in seconds."""


def groups(mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
    """Split the mentions of an image into groups that no shared type connects, all in reading order.

    A group of more than PLANNED_WHOLE is split further, see `_families`.
    """
    ordered = sorted(mentions, key=reading_order)
    parts = connected(peers([mention.types for mention in ordered]))
    found = [tuple(ordered[position] for position in positions(part)) for part in parts]
    if all(len(group) <= PLANNED_WHOLE for group in found):
        return found
    split = [part for group in found for part in _packed(group)]
    return sorted(split, key=lambda part: reading_order(part[0]))


def _packed(group: tuple[LinkMention, ...]) -> Iterator[tuple[LinkMention, ...]]:
    """Yield parts of a group, each of as many families in turn as have at most PLANNED_WHOLE mentions together."""
    part: list[LinkMention] = []
    for family in [group] if len(group) <= PLANNED_WHOLE else _families(group):
        for first in range(0, len(family), PLANNED_WHOLE):
            own = family[first : first + PLANNED_WHOLE]
            if len(part) + len(own) > PLANNED_WHOLE:
                yield tuple(sorted(part, key=reading_order))
                part = []
            part += own
    yield tuple(sorted(part, key=reading_order))


def _families(group: Iterable[LinkMention]) -> list[list[LinkMention]]:
    """Return the mentions that are likeliest one thing together, in a fixed order.

    Where links go beyond the rules and captions have several sentences, these are the mentions of each caption: a
    pronoun stands for something near it. Elsewhere no two of a caption are one thing, and those of one head noun are
    kept together, families of one type in turn.
    """
    own, families = list(group), dict[object, list[LinkMention]]()
    by_caption = any(mention.part != WHOLE for mention in own)
    for mention in own:
        key = mention.caption if by_caption else (min(mention.types, default=""), mention.head)
        families.setdefault(key, []).append(mention)
    if by_caption:
        return list(families.values())
    return sorted(families.values(), key=lambda family: (min(family[0].types, default=""), reading_order(family[0])))


def positions(members: int) -> Iterator[int]:
    """Yield the positions in a set, ascending."""
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


def union(sets: Iterable[int]) -> int:
    together = 0
    for members in sets:
        together |= members
    return together
