"""Overlap, suppression, ranks and bounds with loops and fractions, to hold the fast ones against."""

from collections.abc import Sequence
from fractions import Fraction

Box = Sequence[int]


def overlap(one: Box, other: Box) -> Fraction:
    pixels, others = cells(one), cells(other)
    either = len(pixels | others)
    return Fraction(len(pixels & others), either) if either else Fraction(0)


def cells(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def suppressed(boxes: Sequence[Box], distances: Sequence[float]) -> list[int]:
    kept: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: (distances[i], i)):
        if all(overlap(boxes[i], boxes[j]) <= Fraction(1, 2) for j in kept):
            kept.append(i)
    return kept


def rank(ranked: Sequence[Box], gold: Box) -> int:
    return next((i for i, box in enumerate(ranked, start=1) if overlap(box, gold) >= Fraction(1, 2)), 0)
