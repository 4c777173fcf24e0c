"""One box is made of several drawings: by the mean of the edges, who draws exactly weighing more."""

from annotation.rules.box import Box
from pipeline.rules.exactness.fuse_boxes import Drawing, fuse
from pipeline.rules.exactness.habit import Habit

EXACT, CARELESS = Habit(spread=0.02), Habit(spread=0.2)
FIRST, SECOND = Drawing(1, 7, Box(100, 100, 200, 300)), Drawing(2, 8, Box(111, 100, 211, 320))


def test_one_drawing_of_a_worker_whose_habit_nobody_knows_stays():
    assert fuse([FIRST], {}) == FIRST.box


def test_workers_who_are_equally_exact_meet_in_the_middle_rounded_half_up():
    assert fuse([FIRST, SECOND], {}) == Box(106, 100, 206, 310)


def test_who_draws_more_exactly_weighs_more_whoever_came_first():
    assert fuse([FIRST, SECOND], {"7": EXACT, "8": CARELESS}).x0 == 100
    assert fuse([SECOND, FIRST], {"7": CARELESS, "8": EXACT}).x0 == 111


def test_the_margin_that_a_worker_usually_leaves_is_taken_off():
    wide = Habit((0.1, 0.05, -0.1, 0.0))
    assert fuse([FIRST], {"7": wide}) == Box(110, 110, 190, 300)


def test_no_edge_leaves_what_was_drawn_and_every_box_has_a_pixel():
    narrow, thin = Habit((-0.2, -0.2, 0.2, 0.2)), Habit((0.49, 0.49, -0.49, -0.49))
    assert fuse([FIRST], {"7": narrow}) == FIRST.box
    assert fuse([Drawing(1, 7, Box(5, 5, 6, 6))], {"7": thin}) == Box(5, 5, 6, 6)
