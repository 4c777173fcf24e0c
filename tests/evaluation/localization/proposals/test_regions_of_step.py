"""Regions without pixels: a grid, and the gold boxes."""

import numpy as np

from evaluation.localization.proposals.regions_of_step import gold_pool, grid
from evaluation.scoring.iou import iou


def test_a_grid_covers_large_objects_anywhere() -> None:
    boxes = grid(400, 300)
    assert len(boxes) <= 200 and len(np.unique(boxes, axis=0)) == len(boxes)
    assert boxes.min() >= 0 and (boxes[:, 2] <= 400).all() and (boxes[:, 3] <= 300).all()
    lot = np.random.default_rng(1)
    corners = lot.uniform(0, 0.5, (500, 2))
    sides = lot.uniform(0.4, 0.5, (500, 2))
    objects = np.hstack([corners, corners + sides]) * [400, 300, 400, 300]
    assert (iou(objects, boxes).max(axis=1) >= 0.5).mean() > 0.95
    assert len(grid(400, 300, 7)) == 7


def test_the_gold_pool_has_each_box_once_the_largest_first() -> None:
    found = gold_pool([(0, 0, 2, 2), (5, 5, 9, 9), (0, 0, 2, 2), (1, 1, 3, 3)])
    assert found.tolist() == [[5, 5, 9, 9], [0, 0, 2, 2], [1, 1, 3, 3]]
    assert gold_pool([]).shape == (0, 4)
