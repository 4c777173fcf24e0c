"""Order by size."""

import numpy as np

from evaluation.content_selection.baselines.size import size_order


def test_the_largest_comes_first_and_ties_keep_their_order() -> None:
    boxes = np.array([[0, 0, 2, 2], [0, 0, 9, 9], [5, 5, 9, 6], [0, 0, 3, 9]])
    assert size_order(boxes).tolist() == [1, 3, 0, 2]
