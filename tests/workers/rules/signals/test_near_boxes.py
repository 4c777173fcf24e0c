"""Boxes that nearly equal others, and boxes that need no look at the picture."""

import random

import pytest

from workers.rules.signals.near_boxes import Blind, Drawn, NearBoxes, blind, overlap

SIZE = (500, 400)
BOX = (40, 50, 240, 250)


def drawn(id: int, box: tuple[int, int, int, int] = BOX, *, worker: int = 1, image: int | None = None) -> Drawn:
    return Drawn(id, worker, id if image is None else image, box, SIZE)


def test_overlap_is_intersection_over_union():
    assert overlap((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert overlap((0, 0, 2, 2), (2, 0, 3, 2)) == 0


def test_the_grid_finds_exactly_the_boxes_that_a_comparison_of_all_finds():
    rng = random.Random("grid")
    boxes = []
    for id in range(80):
        x, y, w, h = rng.choice((0, 3, 9, 10)), rng.choice((0, 199, 200)), rng.randint(195, 205), rng.randint(98, 102)
        boxes.append(drawn(id, (x, y, x + w, y + h)))
    grid = NearBoxes(0.98)
    for one in boxes:
        grid.add(one)
    scaled = {one.id: one.scaled for one in boxes}
    near = {id: {other for other, its in scaled.items() if overlap(box, its) >= 0.98} for id, box in scaled.items()}
    found = {one.id: [other.id for other in grid.near(one)] for one in boxes}
    assert {id: set(others) for id, others in found.items()} == near
    assert 80 < sum(map(len, found.values())) < 80**2


def test_a_whole_picture_and_the_default_box_need_no_look():
    whole, default, large = (0, 1, 500, 400), (125, 100, 375, 300), (0, 0, 480, 400)
    expected = {whole: Blind.WHOLE, default: Blind.DEFAULT, large: None, BOX: None}
    assert {box: blind(drawn(1, box)) for box in expected} == expected
