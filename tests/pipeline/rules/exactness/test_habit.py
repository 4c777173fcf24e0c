"""A worker's habit tells what to take off a drawn box, and how exact it is expected to be."""

import pytest

from annotation.rules.box import Box
from pipeline.rules.exactness.habit import (
    CROWD,
    NOBODY_KNOWS,
    Habit,
    habit_of,
    likely_iou,
    off_by,
    pointing_of,
    without_habit,
)

WIDE = Habit((0.1, 0.0, -0.1, 0.05), 0.06)


def test_a_worker_without_a_habit_of_their_own_has_that_of_the_crowd_and_an_expert_none():
    habits = {CROWD: WIDE, "7": NOBODY_KNOWS}
    assert [habit_of(worker, habits) for worker in (7, 8, None)] == [NOBODY_KNOWS, WIDE, NOBODY_KNOWS]
    assert habit_of(8, {}) == NOBODY_KNOWS


def test_a_habit_is_taken_off_in_shares_of_the_sides():
    assert without_habit(Box(100, 50, 300, 90), WIDE) == pytest.approx((120, 50, 280, 92))


def test_edges_of_small_boxes_and_of_careless_workers_are_farther_off():
    small, large = Box(0, 0, 20, 20), Box(0, 0, 400, 400)
    assert off_by(large, NOBODY_KNOWS) == NOBODY_KNOWS.spread + pointing_of(large)
    assert likely_iou(small, NOBODY_KNOWS) < likely_iou(large, WIDE) < likely_iou(large, NOBODY_KNOWS) < 1
    assert likely_iou(Box(0, 0, 1, 1), WIDE) == 0
