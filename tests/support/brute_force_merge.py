"""A second implementation of box merging, written directly from the protocol: slow, exact, and simple."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import floor
from typing import NamedTuple

from annotation.rules.box import Box
from pipeline.protocol.boxes.merge_boxes import BoxToMerge, MergeRules

Members = tuple[int, ...]


class Merged(NamedTuple):
    """The groups with their means, the joins, and whether two pairs were ever equally good."""

    groups: dict[Members, Box]
    joins: list[tuple[Members, Members, Fraction]]
    tied: bool


def overlap(a: Box, b: Box) -> Fraction:
    """Return the IOU as a fraction."""
    across = len(range(max(a.x0, b.x0), min(a.x1, b.x1)))
    down = len(range(max(a.y0, b.y0), min(a.y1, b.y1)))
    return Fraction(across * down, a.area + b.area - across * down)


def kinds(entry: BoxToMerge) -> frozenset[str]:
    return entry.types or frozenset({"other"})


def permitted(a: BoxToMerge, b: BoxToMerge, rules: MergeRules) -> bool:
    """Tell whether two boxes may be in one group."""
    if a.chain == b.chain:
        return False
    mixed = [{x, y} for x, y in product(kinds(a), kinds(b))]
    return any(len(pair) == 1 for pair in mixed) or all(pair in rules.allowed for pair in mixed)


def brute_force_merge(boxes: Sequence[BoxToMerge], rules: MergeRules) -> Merged:
    """Join the best pair of groups again and again, until every pair has been refused."""
    groups: list[Members] = [(place,) for place in range(len(boxes))]
    joins: list[tuple[Members, Members, Fraction]] = []
    refused: set[tuple[Members, Members]] = set()
    tied = False

    def mean(group: Members) -> Box:
        sides = zip(*(boxes[place].box for place in group), strict=True)
        return Box(*(floor(Fraction(sum(side), len(group)) + Fraction(1, 2)) for side in sides))  # half up

    def threshold(group: Members) -> Fraction:
        other = any("other" in kinds(boxes[place]) for place in group)
        return Fraction(str(rules.other_threshold if other else rules.threshold))

    def fits(a: Members, b: Members) -> bool:
        if overlap(mean(a), mean(b)) < threshold(a + b):
            return False
        if not all(permitted(boxes[x], boxes[y], rules) for x, y in product(a, b)):
            return False
        return all(overlap(boxes[place].box, mean(a + b)) >= threshold(a + b) for place in a + b)

    while pairs := [pair for pair in combinations(sorted(groups), 2) if pair not in refused]:
        first, second = max(pairs, key=lambda pair: (overlap(mean(pair[0]), mean(pair[1])), -pair[0][0], -pair[1][0]))
        if not fits(first, second):
            refused.add((first, second))
            continue
        best = overlap(mean(first), mean(second))
        tied |= sum(overlap(mean(a), mean(b)) == best and fits(a, b) for a, b in pairs) > 1
        joins.append((first, second, best))
        groups = [group for group in groups if group not in (first, second)]
        groups.append(tuple(sorted(first + second)))
    return Merged({group: mean(group) for group in groups}, joins, tied)
