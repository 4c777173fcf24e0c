"""Overlap of boxes."""

import numpy as np

from evaluation.scoring.iou import area, iou, paired_iou


def test_half_of_a_box_overlaps_by_a_half() -> None:
    assert iou(np.array([[0, 0, 10, 10]]), np.array([[0, 0, 10, 5], [20, 20, 30, 30]])).tolist() == [[0.5, 0.0]]


def test_boxes_that_touch_do_not_overlap() -> None:
    assert iou(np.array([[0, 0, 5, 5]]), np.array([[5, 0, 10, 5]])).tolist() == [[0.0]]


def test_boxes_without_area_overlap_nothing() -> None:
    assert paired_iou(np.array([3.0, 3, 3, 3]), np.array([3.0, 3, 3, 3])).tolist() == 0.0


def test_area_is_in_square_pixels() -> None:
    assert area(np.array([[1, 2, 4, 6]])).tolist() == [12]
