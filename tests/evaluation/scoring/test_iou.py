"""Overlap of boxes, and suppression."""

import numpy as np

from evaluation.scoring.iou import area, iou, nms, paired_iou

WHOLE, HALF, MORE = (0, 0, 10, 10), (0, 0, 10, 5), (0, 0, 10, 6)


def test_half_of_a_box_overlaps_by_a_half() -> None:
    assert iou(np.array([[0, 0, 10, 10]]), np.array([[0, 0, 10, 5], [20, 20, 30, 30]])).tolist() == [[0.5, 0.0]]


def test_boxes_that_touch_do_not_overlap() -> None:
    assert iou(np.array([[0, 0, 5, 5]]), np.array([[5, 0, 10, 5]])).tolist() == [[0.0]]


def test_boxes_without_area_overlap_nothing() -> None:
    assert paired_iou(np.array([3.0, 3, 3, 3]), np.array([3.0, 3, 3, 3])).tolist() == 0.0


def test_area_is_in_square_pixels() -> None:
    assert area(np.array([[1, 2, 4, 6]])).tolist() == [12]


def test_an_overlap_of_exactly_the_threshold_suppresses_nothing() -> None:
    assert nms(np.array([WHOLE, HALF]), np.array([0.1, 0.2])).tolist() == [0, 1]


def test_a_box_goes_if_a_better_one_overlaps_it_by_more() -> None:
    assert nms(np.array([MORE, WHOLE]), np.array([0.2, 0.1])).tolist() == [1]


def test_a_suppressed_box_suppresses_nothing() -> None:
    # HALF overlaps MORE by 0.83 and WHOLE by 0.5; MORE goes because of WHOLE.
    assert nms(np.array([WHOLE, MORE, HALF]), np.array([0.1, 0.2, 0.3])).tolist() == [0, 2]


def test_ties_keep_their_order() -> None:
    assert nms(np.array([(0, 0, 1, 1), WHOLE, HALF]), np.array([0.5, 0.5, 0.5])).tolist() == [0, 1, 2]


def test_no_boxes_stay_of_none() -> None:
    assert nms(np.zeros((0, 4)), np.zeros(0)).tolist() == []
