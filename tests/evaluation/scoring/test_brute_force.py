"""Recall, suppression and bound equal a slow reference on random boxes of which many are equal or tie."""

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from evaluation.scoring.iou import iou, nms
from evaluation.scoring.recall import first_hit, proposal_bound, recall_at

Box = Sequence[int]


def boxes(source: random.Random, number: int) -> list[tuple[int, int, int, int]]:
    found = []
    for _ in range(number):
        x0, y0 = source.randrange(5), source.randrange(5)
        found.append((x0, y0, x0 + source.randint(1, 5), y0 + source.randint(1, 5)))
    return found + found[: number // 4]


@pytest.mark.parametrize("seed", range(200))
def test_they_equal_the_reference(seed: int) -> None:
    source = random.Random(seed)
    proposals, golds = boxes(source, source.randint(1, 16)), boxes(source, 8)
    distances = [source.randrange(4) / 4 for _ in proposals]
    array = np.array(proposals)
    assert iou(array, np.array(golds)).tolist() == [[float(overlap(one, gold)) for gold in golds] for one in proposals]
    kept = nms(array, np.array(distances))
    assert kept.tolist() == suppressed(proposals, distances)
    ranks = [first_hit(array[kept], gold) for gold in golds]
    slow = [rank([proposals[i] for i in kept], gold) for gold in golds]
    assert ranks == slow
    for k in (1, 5, 10):
        assert recall_at(np.array(ranks), k) == 100 * sum(0 < one <= k for one in slow) / len(slow)
    bound = proposal_bound(array, np.array(golds))
    assert bound.tolist() == [rank(proposals, gold) > 0 for gold in golds]


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
