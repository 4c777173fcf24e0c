"""Changes of an image between two versions, one row each: chains, phrases, boxes, flags and types."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.dataset.boxes import ELSEWHERE, MOVED, REDRAWN, RESIZED, Beside, boxes_beside, way
from evaluation.dataset.chains import Chain, Group, Part, chains_of, groups_of
from evaluation.dataset.phrases import Pair, Paired, is_mention, paired
from evaluation.reading.picture import Box, Phrase, Picture

MERGED, SPLIT, TAKEN = "chains merged", "chain split", "mention in another chain"
CHAIN_ADDED, CHAIN_REMOVED = "chain added", "chain removed"
BOX_ADDED, BOX_REMOVED = "box added", "box removed"
FLAG_SET, FLAG_CLEARED, FLAG_CHANGED = "flag set", "flag cleared", "flag changed"
TYPE = "type changed"
PHRASE_ADDED, PHRASE_REMOVED, BOUNDS = "phrase added", "phrase removed", "phrase with other bounds"
NOW_MENTION, NO_MENTION = "now a mention", "no mention any more"
WEIGHTS = {
    MERGED: 1.5, SPLIT: 1.5, TAKEN: 0.75, CHAIN_ADDED: 1.0, CHAIN_REMOVED: 1.0,
    MOVED: 0.0, RESIZED: 0.0, REDRAWN: 0.0, ELSEWHERE: 0.0, BOX_ADDED: 1.0, BOX_REMOVED: 1.0,
    FLAG_SET: 0.75, FLAG_CLEARED: 0.75, FLAG_CHANGED: 0.5, TYPE: 0.25,
    PHRASE_ADDED: 0.25, PHRASE_REMOVED: 0.25, BOUNDS: 0.1, NOW_MENTION: 0.5, NO_MENTION: 0.5,
}  # fmt: skip
"""The size of each kind of change, in the order of tables; that of a box that changed is 1 less its overlap."""
OF_BOXES = (MOVED, RESIZED, REDRAWN, ELSEWHERE)


@dataclass(frozen=True, slots=True)
class Change:
    """One change. Chains are named as their version names them."""

    kind: str
    words: str
    """The phrase that it is about; of a chain its first."""
    types: frozenset[str]
    """Of both versions together."""
    before: str = ""
    after: str = ""
    box_before: Box | None = None
    box_after: Box | None = None
    overlap: float | None = None
    told: str = ""
    """The flags or types before and after."""

    @property
    def size(self) -> float:
        """The size of the change, from 0 to 1.5; larger ones are shown first."""
        return 1 - (self.overlap or 0) if self.kind in OF_BOXES else WEIGHTS[self.kind]


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """Chains that share mentions, and what changed about them."""

    group: Group
    changes: list[Change]
    overlaps: list[float] = field(default_factory=list)
    """Of each box that is in both versions, also of those that stayed."""


@dataclass(frozen=True, slots=True)
class ImageChanges:
    """An image in two versions."""

    before: Picture
    after: Picture
    pairs: Paired
    groups: list[GroupChanges]
    loose: list[Change]
    """Changes about phrases that are mentions in neither version."""

    def changes(self) -> Iterator[Change]:
        """Yield every change of the image."""
        for one in self.groups:
            yield from one.changes
        yield from self.loose


def changes_of(before: Picture, after: Picture, tolerance: float = 0.0) -> ImageChanges:
    """Return what changed. `tolerance`: pixels by which an edge may differ in a box that is the same."""
    pairs = paired(before, after)
    sides = (chains_of(picture, pairs, side) for side, picture in enumerate((before, after)))
    groups = [_group(one, pairs, tolerance) for one in groups_of(*sides)]
    loose = [change for pair in pairs.phrases if not _in_a_chain(pair) for change in _phrase(pair)]
    return ImageChanges(before, after, pairs, groups, loose)


def _in_a_chain(pair: Pair) -> bool:
    return any(one is not None and is_mention(one) for one in pair)


def _group(group: Group, pairs: Paired, tolerance: float) -> GroupChanges:
    found = GroupChanges(group, [])
    beside = [(group.before[i], group.after[j]) for i, j in group.same.items()]
    found.changes.extend(_chains(group, pairs))
    for one, other in beside:
        for boxes in boxes_beside(one.boxes, other.boxes, tolerance):
            if boxes.before and boxes.after:
                found.overlaps.append(boxes.overlap)
            found.changes.extend(_box(boxes, one, other))
        found.changes.extend(_flags(one, other))
    for i, one in enumerate(group.before):
        if i not in group.same:
            found.changes.extend(_box_of(BOX_REMOVED, one, box) for box in one.boxes)
    kept = set(group.same.values())
    for j, other in enumerate(group.after):
        if j not in kept:
            found.changes.extend(_box_of(BOX_ADDED, other, box) for box in other.boxes)
    for place in sorted({mention for one in (*group.before, *group.after) for mention in one.mentions}):
        found.changes.extend(_phrase(pairs.phrases[place]))
    return found


def _chains(group: Group, pairs: Paired) -> Iterator[Change]:
    """Yield chains that came, went, were joined or taken apart, and mentions that are in another chain now.

    The largest part of a chain that is gone was merged with the chain that holds it; the largest part of a chain that
    is new was split from the one that held it. Mentions of all other parts are in another chain.
    """
    kept = set(group.same.values())
    gone: dict[int, Part] = {}
    new: dict[int, Part] = {}
    others = []
    for part in sorted(group.parts(), key=lambda part: (-len(part.mentions), min(part.mentions))):
        if group.same.get(part.before) == part.after:
            continue
        if part.before not in group.same and part.before not in gone:
            gone[part.before] = part
        elif part.after not in kept and part.after not in new:
            new[part.after] = part
        else:
            others.append(part)
    for i, one in enumerate(group.before):
        if i in gone:
            other = group.after[gone[i].after]
            yield Change(MERGED, one.phrases[0].text, one.types | other.types, one.name, other.name)
        elif i not in group.same:
            yield Change(CHAIN_REMOVED, one.phrases[0].text, one.types, before=one.name)
    for j, other in enumerate(group.after):
        if j in new:
            one = group.before[new[j].before]
            yield Change(SPLIT, other.phrases[0].text, one.types | other.types, one.name, other.name)
        elif j not in kept:
            yield Change(CHAIN_ADDED, other.phrases[0].text, other.types, after=other.name)
    for part in others:
        for mention in sorted(part.mentions):
            pair = pairs.phrases[mention]
            names = group.before[part.before].name, group.after[part.after].name
            yield Change(TAKEN, pair.either.text, pair.types, *names)


def _box(boxes: Beside, one: Chain, other: Chain) -> Iterator[Change]:
    if boxes.before is None and boxes.after is not None:
        yield _box_of(BOX_ADDED, other, boxes.after, one)
    elif boxes.after is None and boxes.before is not None:
        yield _box_of(BOX_REMOVED, one, boxes.before, other)
    elif boxes.overlap < 1 and boxes.before is not None and boxes.after is not None:
        yield Change(
            way(boxes.before, boxes.after),
            one.phrases[0].text,
            one.types | other.types,
            one.name,
            other.name,
            boxes.before,
            boxes.after,
            boxes.overlap,
        )


def _box_of(kind: str, chain: Chain, box: Box, other: Chain | None = None) -> Change:
    """Return a box that one version alone has. `chain`: the chain that has it; `other`: the same in the other one."""
    types = chain.types | (other.types if other else frozenset())
    away = "" if other is None else other.name
    if kind == BOX_ADDED:
        return Change(kind, chain.phrases[0].text, types, away, chain.name, box_after=box)
    return Change(kind, chain.phrases[0].text, types, chain.name, away, box_before=box)


def _flags(one: Chain, other: Chain) -> Iterator[Change]:
    if one.flags != other.flags:
        kind = FLAG_CHANGED if one.flags and other.flags else FLAG_SET if other.flags else FLAG_CLEARED
        told = _told(one.flags, other.flags)
        yield Change(kind, one.phrases[0].text, one.types | other.types, one.name, other.name, told=told)


def _phrase(pair: Pair) -> Iterator[Change]:
    before, after = pair
    names = _chain(before), _chain(after)
    if before is None or after is None:
        yield Change(PHRASE_ADDED if before is None else PHRASE_REMOVED, pair.either.text, pair.types, *names)
        return
    if (before.start, before.words) != (after.start, after.words):
        yield Change(BOUNDS, before.text, pair.types, *names, told=f"{before.text} → {after.text}")
    if is_mention(before) != is_mention(after):
        yield Change(NOW_MENTION if is_mention(after) else NO_MENTION, before.text, pair.types, *names)
    elif frozenset(before.types) != frozenset(after.types):
        told = _told(frozenset(before.types), frozenset(after.types))
        yield Change(TYPE, before.text, pair.types, *names, told=told)


def _told(before: frozenset[str], after: frozenset[str]) -> str:
    return " → ".join("/".join(sorted(own)) or "none" for own in (before, after))


def _chain(phrase: Phrase | None) -> str:
    return phrase.chain if phrase is not None and is_mention(phrase) else ""
