"""Links and merging by the protocol alone, for the reader of JSON Lines exports. Nothing of the service is imported."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import Any

Pair = tuple[int, int]
Group = list[dict[str, Any]]


def link_chains(
    group: Group,
    votes: Mapping[Pair, Sequence[bool]],
    given: Mapping[Pair, bool],
    skipped: Collection[Pair],
    *,
    plus: bool,
) -> list[list[int]]:
    """Return the chains of a group of mentions in reading order, by the strategies of the paper.

    The "yes" links join, an expert's first, then by margin. Under a "plus" strategy a settled "no" keeps chains apart.
    """
    yes: list[tuple[bool, int, int, int]] = []
    apart: set[Pair] = set()
    for x, y in combinations(range(len(group)), 2):
        pair = group[x]["number"], group[y]["number"]
        cast = votes.get(pair, ())
        margin = 2 * sum(cast) - len(cast)
        if pair in given:
            if given[pair]:
                yes.append((False, 0, x, y))
            else:
                apart.add(pair)
        elif pair not in skipped and cast and margin > 0:
            yes.append((True, -margin, x, y))
        elif pair not in skipped and (margin < 0 or (not cast and _ruled_out(group[x], group[y]))):
            apart.add(pair)
    chain_of = {place: [place] for place in range(len(group))}
    for asked, _, x, y in sorted(yes):
        one, other = chain_of[x], chain_of[y]
        clash = any((group[min(a, b)]["number"], group[max(a, b)]["number"]) in apart for a in one for b in other)
        if one is not other and not (plus and asked and clash):
            joined = [*one, *other]
            chain_of |= dict.fromkeys(joined, joined)
    chains = {tuple(sorted(chain)) for chain in chain_of.values()}
    return [[group[place]["number"] for place in chain] for chain in sorted(chains)]


def _ruled_out(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return bool(a["caption"] == b["caption"] or not set(a["types"]) & set(b["types"]))


def merge_boxes(boxes: Group, settings: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    """Return the merged boxes, each with the numbers of its members. `boxes`: in the order of their acceptance."""
    groups: list[Group] = [[box] for box in boxes]
    refused: list[tuple[Group, Group]] = []
    while pairs := [pair for pair in combinations(groups, 2) if pair not in refused]:
        # max returns the first of equals, and the groups stay in the order of their first members.
        one, other = max(pairs, key=lambda pair: _iou(_mean(pair[0]), _mean(pair[1])))
        both = sorted([*one, *other], key=boxes.index)
        least = _least(both, settings)
        fits = _iou(_mean(one), _mean(other)) >= least and all(_iou(box["box"], _mean(both)) >= least for box in both)
        if fits and all(_may_merge(a, b, settings) for a in one for b in other):
            rest = [group for group in groups if group is not one and group is not other]
            groups = sorted([*rest, both], key=lambda group: boxes.index(group[0]))
        else:
            refused.append((one, other))
    return [(_mean(group), [box["number"] for box in group]) for group in groups]


def _least(group: Group, settings: dict[str, Any]) -> Fraction:
    other = any("other" in box["types"] for box in group)
    return Fraction(str(settings["merge_iou_other" if other else "merge_iou"]))


def _may_merge(a: dict[str, Any], b: dict[str, Any], settings: dict[str, Any]) -> bool:
    allowed = [set(pair) for pair in settings["mergeable_types"]]
    every = all({x, y} in allowed for x in a["types"] for y in b["types"])
    return a["chain"] != b["chain"] and (bool(a["types"] & b["types"]) or every)


def _mean(group: Group) -> list[int]:
    sides = zip(*(box["box"] for box in group), strict=True)
    return [floor(Fraction(sum(side), len(group)) + Fraction(1, 2)) for side in sides]


def _iou(a: list[int], b: list[int]) -> Fraction:
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(across, 0) * max(down, 0)
    return Fraction(shared, sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (a, b)) - shared)
