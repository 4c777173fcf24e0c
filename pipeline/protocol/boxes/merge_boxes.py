"""Box and chain merging [paper 3.3.2]: boxes that show one entity become their mean, chains of the same boxes one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.mention_type import NOUN_TYPES, MentionType

Types = frozenset[str]

OTHER: str = MentionType.OTHER.value
_ONLY_OTHER = Types((OTHER,))
ALLOWED = frozenset(
    {frozenset({OTHER, t.value}) for t in NOUN_TYPES}
    | {frozenset({MentionType.SCENE.value, MentionType.VEHICLES.value})}
)
"""The pairs of different types whose boxes may merge by default: other with every type, and scene with vehicles."""


class BoxToMerge(NamedTuple):
    """An accepted box. The boxes of an image are listed in the order in which they were first accepted."""

    box: Box
    types: Types
    """The types of all mentions of its chain; no type counts as "other"."""
    chain: int


@dataclass(frozen=True, slots=True)
class MergeRules:
    """The least overlap of boxes that merge, and the types that may share a box."""

    threshold: float = 0.8
    """The least IOU, above 0 and at most 1. It is read as a decimal, so 0.8 is exactly 4/5."""
    other_threshold: float = 0.9
    """The least IOU if "other" is among the types of either side."""
    allowed: frozenset[frozenset[str]] = ALLOWED

    def __post_init__(self) -> None:
        for value in (self.threshold, self.other_threshold):
            if not 0 < value <= 1:
                raise ValueError(f"A merging threshold must be an IOU above 0 and at most 1, not {value}.")


@dataclass(frozen=True, slots=True)
class MergedGroup:
    """Boxes that became one: their positions, ascending, and the mean of all of them, rounded half up."""

    members: tuple[int, ...]
    box: Box


class Join(NamedTuple):
    """One step of the merging: the two groups that joined; the group with the earliest accepted box is the first."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    iou: float
    """The IOU of the means of the two groups."""
    first_types: Types
    second_types: Types


class MergeResult(NamedTuple):
    """The groups, ordered by first member, and the joins in their order. Every box is in exactly one group."""

    groups: list[MergedGroup]
    joins: list[Join]


def merge_boxes(boxes: Sequence[BoxToMerge], rules: MergeRules = MergeRules()) -> MergeResult:
    """Merge the boxes of one image.

    Repeatedly joins the two groups whose means have the highest IOU. Ties: the group whose first member was accepted
    first wins, then the same for the other group. Two groups join if
    - the IOU of their means reaches the threshold,
    - the IOU of each member with the mean of all members reaches the threshold, too,
    - each pair of members is allowed: they share a type, or every pair of their types is in `rules.allowed`,
    - no two members are of one chain.
    The threshold is the higher one as soon as one member of either group has type "other". This is the stricter reading
    of the paper, and the only one by which a group's threshold does not depend on the order of its joins.
    A refused pair is not tried again until one side changes.
    """
    boxes = [entry if entry.types else entry._replace(types=_ONLY_OTHER) for entry in boxes]
    candidates = _candidates(boxes, rules)
    if not candidates:
        return MergeResult([MergedGroup((index,), boxes[index].box) for index in range(len(boxes))], [])
    merging = _Merging(boxes, rules, candidates)
    merging.run()
    return merging.result()


@dataclass(slots=True)
class _Group:
    members: tuple[int, ...]
    box: Box
    area: int
    sums: tuple[int, int, int, int]
    types: tuple[Types, ...]
    """The types of each member, without repeats."""
    all_types: Types
    chains: frozenset[int]


# A candidate for joining: minus the IOU in 1/2^64, the first member of either side, the keys of the two groups. Sorted,
# the best comes first. Two different IOUs differ by more than 1/2^64 as long as both unions are below 2^32 pixels.
_Candidate = tuple[int, int, int, int, int]


class _Merging:
    """The groups of one image while they are joined. A joined group gets a new key; keys are never reused."""

    def __init__(self, boxes: Sequence[BoxToMerge], rules: MergeRules, candidates: list[_Candidate]) -> None:
        self.rules = rules
        self.boxes = boxes
        self.lowest = _lowest(rules)
        self.groups = {key: _single(key, box) for key, box in enumerate(boxes)}
        self.candidates = candidates
        self.joins: list[Join] = []
        self.next_key = len(boxes)
        heapify(candidates)

    def run(self) -> None:
        """Join until no candidate is left. Skips candidates whose groups are gone."""
        while self.candidates:
            _, _, _, a_key, b_key = heappop(self.candidates)
            a, b = self.groups.get(a_key), self.groups.get(b_key)
            if a is None or b is None:
                continue
            if joined := self._join(a, b):
                del self.groups[a_key], self.groups[b_key]
                self._look_around(joined)
                self.groups[self.next_key] = joined
                self.next_key += 1
                self.joins.append(Join(a.members, b.members, iou(a.box, b.box), a.all_types, b.all_types))

    def _join(self, a: _Group, b: _Group) -> _Group | None:
        """Return the two groups as one, or None if a member is too far from the new mean."""
        members = tuple(sorted(a.members + b.members))
        sums = tuple(map(int.__add__, a.sums, b.sums))
        mean = _mean(sums, len(members))
        types = a.all_types | b.all_types
        num, den = _threshold(types, self.rules)
        for member in members:
            if not _reaches(self.boxes[member].box, mean, num, den):
                return None
        different = a.types if a.types == b.types else (*a.types, *b.types)
        return _Group(members, mean, mean.area, sums, different, types, a.chains | b.chains)  # type: ignore[arg-type]

    def _look_around(self, new: _Group) -> None:
        """Add the candidates that a new group makes with the existing groups."""
        low_num, low_den = self.lowest
        most, least = new.area * low_den, new.area * low_num
        for key, group in self.groups.items():
            if group.area * low_num > most or group.area * low_den < least:
                continue
            shared = _shared(new.box, group.box)
            union = new.area + group.area - shared
            if shared * low_den < union * low_num or not _may_join(new, group, self.rules):
                continue
            num, den = _threshold(new.all_types | group.all_types, self.rules)
            if shared * den >= union * num:
                heappush(self.candidates, self._candidate(new, key, group, (shared << 64) // union))

    def _candidate(self, new: _Group, key: int, group: _Group, overlap: int) -> _Candidate:
        if new.members[0] < group.members[0]:
            return (-overlap, new.members[0], group.members[0], self.next_key, key)
        return (-overlap, group.members[0], new.members[0], key, self.next_key)

    def result(self) -> MergeResult:
        groups = sorted((group.members, group.box) for group in self.groups.values())
        return MergeResult([MergedGroup(members, box) for members, box in groups], self.joins)


def _candidates(boxes: Sequence[BoxToMerge], rules: MergeRules) -> list[_Candidate]:
    """Return the pairs of boxes that may join and reach their threshold."""
    found = []
    for a, b, shared, union in _close_pairs([entry.box for entry in boxes], *_lowest(rules)):
        first, second = boxes[a], boxes[b]
        num, den = _threshold(first.types | second.types, rules)
        reaches = shared * den >= union * num
        if reaches and first.chain != second.chain and _may_merge(first.types, second.types, rules.allowed):
            found.append((-((shared << 64) // union), a, b, a, b))
    return found


def _close_pairs(boxes: Sequence[Box], num: int, den: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield positions (ascending), shared pixels and union of each pair with an IOU of at least num / den.

    Written for speed, as it sees every pair of a data set. Boxes are sorted by area: beyond a certain area even a
    partner that contains the whole box would not reach the threshold.
    """
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes]
    order = sorted(range(len(boxes)), key=areas.__getitem__)
    for place, a in enumerate(order):
        ax0, ay0, ax1, ay1 = boxes[a]
        area = areas[a]
        largest = area * den // num
        for b in order[place + 1 :]:
            if areas[b] > largest:
                break
            bx0, by0, bx1, by1 = boxes[b]
            width = (ax1 if ax1 < bx1 else bx1) - (ax0 if ax0 > bx0 else bx0)
            height = (ay1 if ay1 < by1 else by1) - (ay0 if ay0 > by0 else by0)
            if width > 0 and height > 0:
                shared = width * height
                union = area + areas[b] - shared
                if shared * den >= union * num:
                    yield (a, b, shared, union) if a < b else (b, a, shared, union)


def _single(key: int, entry: BoxToMerge) -> _Group:
    box, types, chain = entry
    return _Group((key,), box, (box[2] - box[0]) * (box[3] - box[1]), box, (types,), types, frozenset((chain,)))


def _mean(sums: Sequence[int], count: int) -> Box:
    """Return the mean box; coordinates are rounded half up, in whole-number arithmetic."""
    x0, y0, x1, y1 = sums
    twice = 2 * count
    return Box(
        (2 * x0 + count) // twice, (2 * y0 + count) // twice, (2 * x1 + count) // twice, (2 * y1 + count) // twice
    )


def _shared(a: Box, b: Box) -> int:
    ax0, ay0, ax1, ay1 = a
    bx0, by0, bx1, by1 = b
    width = (ax1 if ax1 < bx1 else bx1) - (ax0 if ax0 > bx0 else bx0)
    height = (ay1 if ay1 < by1 else by1) - (ay0 if ay0 > by0 else by0)
    return width * height if width > 0 and height > 0 else 0


def _reaches(a: Box, b: Box, num: int, den: int) -> bool:
    """Return whether the IOU of the two is at least num / den, exactly."""
    shared = _shared(a, b)
    return shared * den >= (a.area + b.area - shared) * num


def _may_join(a: _Group, b: _Group, rules: MergeRules) -> bool:
    """Return whether all members are of different chains and each pair of them is allowed."""
    if not a.chains.isdisjoint(b.chains):
        return False
    return all(_may_merge(x, y, rules.allowed) for x in a.types for y in b.types)


@lru_cache(maxsize=4096)
def _may_merge(a: Types, b: Types, allowed: frozenset[frozenset[str]]) -> bool:
    """Return whether boxes with these types may merge: they share a type, or every pair of types is allowed."""
    return bool(a & b) or all(frozenset({x, y}) in allowed for x in a for y in b)


def _threshold(types: Types, rules: MergeRules) -> tuple[int, int]:
    """Return the threshold of a group with these types, as numerator and denominator."""
    return _fraction(rules.other_threshold if OTHER in types else rules.threshold)


@lru_cache(maxsize=256)
def _lowest(rules: MergeRules) -> tuple[int, int]:
    return _fraction(min(rules.threshold, rules.other_threshold))


@lru_cache(maxsize=256)
def _fraction(value: float) -> tuple[int, int]:
    """Return 0.8 as 4/5, not as the binary number next to it."""
    return Fraction(str(value)).as_integer_ratio()


def merge_chains(boxes_of: Mapping[int, frozenset[int]]) -> list[tuple[int, ...]]:
    """Group the chains of one image that point to exactly the same merged boxes.

    `boxes_of`: the boxes of every chain, with the chains in reading order of their first mentions. The groups and the
    chains in each keep that order, so the first chain of a group names the merged chain. A chain without a box stays
    alone: nothing shows that two such chains are the same.
    """
    groups: dict[frozenset[int] | int, list[int]] = {}
    for chain, boxes in boxes_of.items():
        groups.setdefault(boxes or chain, []).append(chain)
    return [tuple(chains) for chains in groups.values()]
