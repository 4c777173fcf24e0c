"""A second implementation of the merging of boxes, one loop over whole numbers, to check a project's tables."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from annotation.models import Box, Image, Mention
from pipeline.models import Transition

Edges = tuple[int, int, int, int]


class Drawn(NamedTuple):
    number: int
    chain: int
    edges: Edges
    types: frozenset[str]


class Joined(NamedTuple):
    image: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    overlap: Fraction
    first_types: frozenset[str]
    second_types: frozenset[str]


def accepted(image: Image) -> list[Drawn]:
    """Return the accepted boxes of an image in order of acceptance, with the types of all mentions of their chain."""
    moves = Transition.objects.filter(image=image, machine="box", new="accepted").order_by("id")
    order = {int(number): place for place, number in enumerate(moves.values_list("subject", flat=True))}
    types: dict[int, set[str]] = {}
    placed = Mention.objects.filter(image=image).exclude(chain=None)
    for chain, kinds in placed.values_list("chain", "types"):
        types.setdefault(int(chain or 0), set()).update(kinds)
    rows = Box.objects.filter(image=image, state="accepted")
    drawn = [Drawn(b.number, b.chain, (b.x0, b.y0, b.x1, b.y1), frozenset(types[b.chain])) for b in rows]
    return sorted(drawn, key=lambda one: order[one.number])


def iou(a: Edges, b: Edges) -> Fraction:
    pixels = [max(0, min(a[side + 2], b[side + 2]) - max(a[side], b[side])) for side in (0, 1)]
    both = pixels[0] * pixels[1]
    return Fraction(both, sum((e[2] - e[0]) * (e[3] - e[1]) for e in (a, b)) - both)


def mean(members: list[Drawn]) -> Edges:
    n = len(members)
    x0, y0, x1, y1 = ((2 * sum(m.edges[side] for m in members) + n) // (2 * n) for side in range(4))
    return x0, y0, x1, y1


def allowed(a: frozenset[str], b: frozenset[str]) -> bool:
    """Tell whether two sets of types share a type, or may be merged through "other" or a scene with vehicles."""
    return bool(a & b) or all("other" in (x, y) or {x, y} == {"scene", "vehicles"} for x in a for y in b)


def merge(image: str, boxes: list[Drawn]) -> tuple[list[Joined], dict[tuple[int, ...], Edges]]:
    """Return the joins in order, and the boxes that are left by the numbers of their members."""
    place = {one.number: index for index, one in enumerate(boxes)}
    groups = [[one] for one in boxes]
    joins: list[Joined] = []
    while True:
        best: tuple[Any, ...] | None = None
        for i, a in enumerate(groups):
            for j in range(i + 1, len(groups)):
                b = groups[j]
                overlap = iou(mean(a), mean(b))
                if not _joinable(a + b, a, b, overlap):
                    continue
                key = (overlap, -place[a[0].number], -place[b[0].number])
                if best is None or key > best[0]:
                    best = (key, i, j)
        if best is None:
            return joins, {tuple(m.number for m in group): mean(group) for group in groups}
        (overlap, *_), i, j = best
        a, b = groups[i], groups[j]
        joins.append(Joined(image, _numbers(a), _numbers(b), overlap, _types(a), _types(b)))
        groups[i] = sorted(a + b, key=lambda one: place[one.number])
        del groups[j]
        groups.sort(key=lambda group: place[group[0].number])


def _joinable(both: list[Drawn], a: list[Drawn], b: list[Drawn], overlap: Fraction) -> bool:
    least = Fraction(9, 10) if "other" in _types(both) else Fraction(8, 10)
    middle = mean(both)
    tests: tuple[Callable[[], bool], ...] = (
        lambda: overlap >= least,
        lambda: {x.chain for x in a}.isdisjoint(y.chain for y in b),
        lambda: all(allowed(x.types, y.types) for x in a for y in b),
        lambda: all(iou(one.edges, middle) >= least for one in both),
    )
    return all(test() for test in tests)


def _types(group: list[Drawn]) -> frozenset[str]:
    return frozenset(kind for one in group for kind in one.types)


def _numbers(group: list[Drawn]) -> tuple[int, ...]:
    return tuple(one.number for one in group)
