"""Changes of an image between two versions, a row each: of chains, phrases, boxes, flags and types."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from evaluation.errors import need
from evaluation.reading.picture import NOT_VISUAL, Box, Lack, Picture, PictureCaption, PicturePhrase, around
from evaluation.scoring import iou


def alike(before: Picture, after: Picture) -> tuple[Picture, Picture]:
    """Return both without what the format of either has no room for."""
    lacks = before.lacks | after.lacks
    return (_without(before, lacks), _without(after, lacks)) if lacks else (before, after)


def _without(picture: Picture, lacks: frozenset[Lack]) -> Picture:
    captions = []
    for caption in picture.captions:
        phrases = [phrase for phrase in caption.phrases if phrase.chain in picture.boxes or Lack.UNBOXED not in lacks]
        types = 0 if Lack.TYPES in lacks else 1 if Lack.FURTHER_TYPES in lacks else None
        phrases = [replace(phrase, number=place, types=phrase.types[:types]) for place, phrase in enumerate(phrases)]
        if phrases or Lack.UNBOXED not in lacks:  # some formats leave captions without phrases out
            captions.append(replace(caption, phrases=tuple(phrases)))
    return replace(picture, captions=tuple(captions), flags={} if Lack.UNBOXED in lacks else picture.flags)


SAME_SIZE_TOLERANCE = 0.05
"""The share of a box's sides by which its size, or its middle, may differ and still be kept."""
MOVED, RESIZED, REDRAWN, ELSEWHERE = "box moved", "box resized", "box redrawn", "box elsewhere"


class Beside(NamedTuple):
    """A box of both versions, or of one of them."""

    before: Box | None
    after: Box | None
    overlap: float
    """Intersection over union, from 0 to 1."""


def boxes_beside(before: Sequence[Box], after: Sequence[Box], tolerance: float = 0.0) -> list[Beside]:
    """Return every box of a chain once: as many as can be are in both versions, and overlap as far as they can.

    `tolerance`: pixels by which each edge may differ in a box that is the same; its overlap is then 1.
    """
    if not before or not after:
        return [*(Beside(box, None, 0.0) for box in before), *(Beside(None, box, 0.0) for box in after)]
    if sorted(before) == sorted(after):
        return [Beside(box, box, 1.0) for box in before]
    overlaps = iou(np.array(before), np.array(after))
    near = np.abs(np.array(before)[:, None] - np.array(after)[None]).max(axis=2) <= tolerance
    overlaps[near] = 1.0
    rows, columns = need("scipy.optimize", "pairing boxes").linear_sum_assignment(overlaps, maximize=True)
    found = [Beside(before[i], after[j], float(overlaps[i, j])) for i, j in zip(rows, columns, strict=True)]
    found += [Beside(box, None, 0.0) for i, box in enumerate(before) if i not in rows]
    found += [Beside(None, box, 0.0) for j, box in enumerate(after) if j not in columns]
    return found


def way(before: Box, after: Box) -> str:
    """Return the way in which a box changed.

    Elsewhere: it touches nothing of what it was; moved or resized: its size, or its middle, was kept; else redrawn.
    """
    if min(before[2], after[2]) <= max(before[0], after[0]) or min(before[3], after[3]) <= max(before[1], after[1]):
        return ELSEWHERE
    sizes = [(box[2] - box[0], box[3] - box[1]) for box in (before, after)]
    middles = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in (before, after)]
    larger = [max(pair) for pair in zip(*sizes, strict=True)]
    kept_size, kept_middle = (
        all(
            abs(value - other) <= SAME_SIZE_TOLERANCE * side for value, other, side in zip(*values, larger, strict=True)
        )
        for values in (sizes, middles)
    )
    if kept_size == kept_middle:
        return REDRAWN
    return MOVED if kept_size else RESIZED


class PhrasePair(NamedTuple):
    """A phrase in both versions, or in one of them."""

    before: PicturePhrase | None
    after: PicturePhrase | None

    @property
    def either(self) -> PicturePhrase:
        """The phrase, as the earlier version has it if it has it."""
        found = self.before or self.after
        assert found is not None
        return found

    @property
    def types(self) -> frozenset[str]:
        """The types of both versions together, without that of phrases that are no mentions."""
        return frozenset(kind for phrase in self if phrase is not None and is_mention(phrase) for kind in phrase.types)


class Paired(NamedTuple):
    """The captions and phrases of an image in two versions."""

    phrases: list[PhrasePair]
    captions: list[tuple[int | None, int | None]]
    """The numbers of each caption, counted from 0; None where a version does not have it."""


def is_mention(phrase: PicturePhrase) -> bool:
    """Tell whether the phrase is part of a chain."""
    return phrase.chain != NOT_VISUAL


def paired(before: Picture, after: Picture) -> Paired:
    """Return the phrases of two versions of an image, beside each other where they have the same place.

    Captions are the same if they have the same words; equal ones keep their order. Of two phrases that are left over
    in a caption and share words, one is the other with other bounds.
    """
    captions = list(_paired_captions(before.captions, after.captions))
    found: list[PhrasePair] = []
    for first, second in captions:
        own = () if first is None else before.captions[first].phrases
        others = () if second is None else after.captions[second].phrases
        found += _paired_phrases(own, others)
    return Paired(found, captions)


def _paired_captions(
    before: Sequence[PictureCaption], after: Sequence[PictureCaption]
) -> Iterator[tuple[int | None, int | None]]:
    """Yield the numbers of both, in the order of the earlier version, and then what only the later one has."""
    left: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, caption in enumerate(after):
        left[caption.words].append(place)
    for place, caption in enumerate(before):
        same = left[caption.words]
        yield place, same.pop(0) if same else None
    yield from ((None, place) for place in sorted(place for places in left.values() for place in places))


def _paired_phrases(before: Sequence[PicturePhrase], after: Sequence[PicturePhrase]) -> Iterator[PhrasePair]:
    places = {(phrase.start, len(phrase.words)): phrase for phrase in after}
    alone = []
    for phrase in before:
        same = places.pop((phrase.start, len(phrase.words)), None)
        if same is None:
            alone.append(phrase)
        else:
            yield PhrasePair(phrase, same)
    others = list(places.values())
    for _, _, phrase, other in sorted(
        (
            (-_shared(phrase, other), i, phrase, other)
            for i, (phrase, other) in enumerate((phrase, other) for phrase in alone for other in others)
            if _shared(phrase, other)
        ),
        key=lambda row: row[:2],
    ):
        if phrase in alone and other in others:
            alone.remove(phrase)
            others.remove(other)
            yield PhrasePair(phrase, other)
    yield from (PhrasePair(phrase, None) for phrase in alone)
    yield from (PhrasePair(None, other) for other in others)


def _shared(before: PicturePhrase, after: PicturePhrase) -> int:
    """Return the number of words of the caption that both have."""
    ends = before.start + len(before.words), after.start + len(after.words)
    return max(0, min(ends) - max(before.start, after.start))


@dataclass(frozen=True, slots=True)
class VersionChain:
    """A chain with all that a version says of it."""

    name: str
    mentions: frozenset[int]
    """Places of its phrases in the list of pairs."""
    phrases: tuple[PicturePhrase, ...]
    boxes: tuple[Box, ...] = ()
    flags: frozenset[str] = frozenset()

    @property
    def types(self) -> frozenset[str]:
        """The types of its phrases together."""
        return frozenset(kind for phrase in self.phrases for kind in phrase.types)


class SharedMentions(NamedTuple):
    """Mentions that are in a chain before and in another one after."""

    before: int
    after: int
    mentions: frozenset[int]


@dataclass(frozen=True, slots=True)
class ChainGroup:
    """Chains that share mentions with each other, directly or through further ones."""

    before: Sequence[VersionChain]
    after: Sequence[VersionChain]
    same: Mapping[int, int]
    """Places of chains that are one chain in both versions: as many mentions as can be stay in theirs."""

    def parts(self) -> Iterator[SharedMentions]:
        """Yield the mentions that both versions have, by their chains."""
        for i, chain in enumerate(self.before):
            for j, other in enumerate(self.after):
                if both := chain.mentions & other.mentions:
                    yield SharedMentions(i, j, both)


def chains_of(picture: Picture, pairs: Paired, side: int) -> list[VersionChain]:
    """Return the chains of a version. `side`: 0 for the earlier one, 1 for the later one."""
    places: dict[str, list[int]] = defaultdict(list)
    phrases: dict[str, list[PicturePhrase]] = defaultdict(list)
    for place, pair in enumerate(pairs.phrases):
        one = pair[side]
        if one is not None and is_mention(one):
            places[one.chain].append(place)
            phrases[one.chain].append(one)
    return [
        VersionChain(
            name,
            frozenset(place),
            tuple(phrases[name]),
            tuple(picture.boxes.get(name, ())),
            picture.flags.get(name, frozenset()),
        )
        for name, place in places.items()
    ]


def groups_of(before: Sequence[VersionChain], after: Sequence[VersionChain]) -> Iterator[ChainGroup]:
    """Yield the chains of both versions in groups, in the order of the earlier version."""
    holder = {mention: place for place, chain in enumerate(after) for mention in chain.mentions}
    joined = need("scipy.cluster.hierarchy", "comparing chains").DisjointSet(range(len(before) + len(after)))
    for place, chain in enumerate(before):
        for mention in chain.mentions & holder.keys():
            joined.merge(place, len(before) + holder[mention])
    for group in sorted(map(sorted, joined.subsets())):
        first = [before[place] for place in group if place < len(before)]
        second = [after[place - len(before)] for place in group if place >= len(before)]
        yield ChainGroup(first, second, _same(first, second))


def _same(before: Sequence[VersionChain], after: Sequence[VersionChain]) -> dict[int, int]:
    """Return which chains are one, so that most mentions stay in theirs.

    Among equally good answers, the one whose boxes agree most; then the one whose chains are most alike; then the one
    that keeps earlier mentions. Both versions exchanged give the same answer.
    """
    if len(before) == len(after) == 1:
        return {0: 0}
    if not before or not after:
        return {}
    ranks = {mention: rank for rank, mention in enumerate(sorted(set().union(*(chain.mentions for chain in before))))}
    worth = np.zeros((len(before), len(after)))
    for i, chain in enumerate(before):
        for j, other in enumerate(after):
            if both := chain.mentions & other.mentions:
                alike = 2 * len(both) / (len(chain.mentions) + len(other.mentions))
                worth[i, j] = len(both) + _one_place(chain, other) / 1e2 + alike / 1e4 + 2.0 ** -ranks[min(both)] / 1e6
    rows, columns = need("scipy.optimize", "pairing chains").linear_sum_assignment(worth, maximize=True)
    return {int(i): int(j) for i, j in zip(rows, columns, strict=True) if worth[i, j] > 0}


def _one_place(before: VersionChain, after: VersionChain) -> float:
    """Return how far the boxes around both chains overlap; of chains without boxes 1 if they have the same flags."""
    if before.boxes and after.boxes:
        return float(iou(np.array(around(before.boxes)), np.array(around(after.boxes)))[0, 0])
    return float(before.boxes == after.boxes and before.flags == after.flags)


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
class DataChange:
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
    detail: str = ""
    """The flags or types before and after."""

    @property
    def size(self) -> float:
        """The size of the change, from 0 to 1.5; larger ones are shown first."""
        return 1 - (self.overlap or 0) if self.kind in OF_BOXES else WEIGHTS[self.kind]


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """Chains that share mentions, and what changed about them."""

    group: ChainGroup
    changes: list[DataChange]
    overlaps: list[float] = field(default_factory=list)
    """Of each box that is in both versions, also of those that stayed."""


@dataclass(frozen=True, slots=True)
class ImageChanges:
    """An image in two versions."""

    before: Picture
    after: Picture
    pairs: Paired
    groups: list[GroupChanges]
    loose: list[DataChange]
    """Changes about phrases that are mentions in neither version."""

    def changes(self) -> Iterator[DataChange]:
        """Yield every change of the image."""
        for group in self.groups:
            yield from group.changes
        yield from self.loose


def changes_of(before: Picture, after: Picture, tolerance: float = 0.0) -> ImageChanges:
    """Return what changed. `tolerance`: pixels by which an edge may differ in a box that is the same."""
    pairs = paired(before, after)
    sides = (chains_of(picture, pairs, side) for side, picture in enumerate((before, after)))
    groups = [_group(group, pairs, tolerance) for group in groups_of(*sides)]
    loose = [change for pair in pairs.phrases if not _in_a_chain(pair) for change in _phrase(pair)]
    return ImageChanges(before, after, pairs, groups, loose)


def _in_a_chain(pair: PhrasePair) -> bool:
    return any(phrase is not None and is_mention(phrase) for phrase in pair)


def _group(group: ChainGroup, pairs: Paired, tolerance: float) -> GroupChanges:
    found = GroupChanges(group, [])
    beside = [(group.before[i], group.after[j]) for i, j in group.same.items()]
    found.changes.extend(_chains(group, pairs))
    for chain, other in beside:
        for boxes in boxes_beside(chain.boxes, other.boxes, tolerance):
            if boxes.before and boxes.after:
                found.overlaps.append(boxes.overlap)
            found.changes.extend(_box(boxes, chain, other))
        found.changes.extend(_flags(chain, other))
    for i, chain in enumerate(group.before):
        if i not in group.same:
            found.changes.extend(_box_of(BOX_REMOVED, chain, box) for box in chain.boxes)
    kept = set(group.same.values())
    for j, other in enumerate(group.after):
        if j not in kept:
            found.changes.extend(_box_of(BOX_ADDED, other, box) for box in other.boxes)
    for place in sorted({mention for chain in (*group.before, *group.after) for mention in chain.mentions}):
        found.changes.extend(_phrase(pairs.phrases[place]))
    return found


def _chains(group: ChainGroup, pairs: Paired) -> Iterator[DataChange]:
    """Yield chains that came, went, were joined or taken apart, and mentions that are in another chain now.

    The largest part of a chain that is gone was merged with the chain that holds it; the largest part of a chain that
    is new was split from the one that held it. Mentions of all other parts are in another chain.
    """
    kept = set(group.same.values())
    gone: dict[int, SharedMentions] = {}
    new: dict[int, SharedMentions] = {}
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
    for i, chain in enumerate(group.before):
        if i in gone:
            other = group.after[gone[i].after]
            yield DataChange(MERGED, chain.phrases[0].text, chain.types | other.types, chain.name, other.name)
        elif i not in group.same:
            yield DataChange(CHAIN_REMOVED, chain.phrases[0].text, chain.types, before=chain.name)
    for j, other in enumerate(group.after):
        if j in new:
            one = group.before[new[j].before]
            yield DataChange(SPLIT, other.phrases[0].text, one.types | other.types, one.name, other.name)
        elif j not in kept:
            yield DataChange(CHAIN_ADDED, other.phrases[0].text, other.types, after=other.name)
    for part in others:
        for mention in sorted(part.mentions):
            pair = pairs.phrases[mention]
            names = group.before[part.before].name, group.after[part.after].name
            yield DataChange(TAKEN, pair.either.text, pair.types, *names)


def _box(boxes: Beside, before: VersionChain, after: VersionChain) -> Iterator[DataChange]:
    if boxes.before is None and boxes.after is not None:
        yield _box_of(BOX_ADDED, after, boxes.after, before)
    elif boxes.after is None and boxes.before is not None:
        yield _box_of(BOX_REMOVED, before, boxes.before, after)
    elif boxes.overlap < 1 and boxes.before is not None and boxes.after is not None:
        yield DataChange(
            way(boxes.before, boxes.after),
            before.phrases[0].text,
            before.types | after.types,
            before.name,
            after.name,
            boxes.before,
            boxes.after,
            boxes.overlap,
        )


def _box_of(kind: str, chain: VersionChain, box: Box, other: VersionChain | None = None) -> DataChange:
    """Return a box that one version alone has. `chain`: the chain that has it; `other`: the same in the other one."""
    types = chain.types | (other.types if other else frozenset())
    away = "" if other is None else other.name
    if kind == BOX_ADDED:
        return DataChange(kind, chain.phrases[0].text, types, away, chain.name, box_after=box)
    return DataChange(kind, chain.phrases[0].text, types, chain.name, away, box_before=box)


def _flags(before: VersionChain, after: VersionChain) -> Iterator[DataChange]:
    if before.flags != after.flags:
        kind = FLAG_CHANGED if before.flags and after.flags else FLAG_SET if after.flags else FLAG_CLEARED
        told = _type_change(before.flags, after.flags)
        yield DataChange(kind, before.phrases[0].text, before.types | after.types, before.name, after.name, detail=told)


def _phrase(pair: PhrasePair) -> Iterator[DataChange]:
    before, after = pair
    names = _chain(before), _chain(after)
    if before is None or after is None:
        yield DataChange(PHRASE_ADDED if before is None else PHRASE_REMOVED, pair.either.text, pair.types, *names)
        return
    if (before.start, before.words) != (after.start, after.words):
        yield DataChange(BOUNDS, before.text, pair.types, *names, detail=f"{before.text} → {after.text}")
    if is_mention(before) != is_mention(after):
        yield DataChange(NOW_MENTION if is_mention(after) else NO_MENTION, before.text, pair.types, *names)
    elif frozenset(before.types) != frozenset(after.types):
        told = _type_change(frozenset(before.types), frozenset(after.types))
        yield DataChange(TYPE, before.text, pair.types, *names, detail=told)


def _type_change(before: frozenset[str], after: frozenset[str]) -> str:
    return " → ".join("/".join(sorted(types)) or "none" for types in (before, after))


def _chain(phrase: PicturePhrase | None) -> str:
    return phrase.chain if phrase is not None and is_mention(phrase) else ""
