"""Order by position."""

import numpy as np

from evaluation.content_selection.baselines.position import distances, position_order


def test_the_box_nearest_to_the_centre_comes_first() -> None:
    boxes = np.array([[0, 0, 10, 10], [45, 20, 55, 30], [0, 0, 100, 50]])
    assert position_order(boxes, 100, 50).tolist() == [1, 2, 0]
    assert distances(boxes, 100, 50).tolist() == [np.hypot(45, 20), 0, 0]
