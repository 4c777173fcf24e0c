"""A worker's habit tells what to take off a drawn box, and how exact it is expected to be.
Habits are learned from what was drawn of known boxes, each pulled towards that of the crowd.
One box is made of several drawings: by the mean of the edges, who draws exactly weighing more.
"""

import pytest

from annotation.rules.box import Box
from pipeline.rules.exactness import fit_habits as fitting
from pipeline.rules.exactness.fit_habits import OF_CROWD, OF_WORKER, KnownDrawing, fit_habits
from pipeline.rules.exactness.fuse_boxes import Drawing, fuse
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
from tests.support.table import case

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


TRUE, WIDE_BOX = Box(120, 100, 280, 500), Box(100, 100, 300, 500)
EXACT, ROOMY = [KnownDrawing(1, TRUE, TRUE)] * 30, [KnownDrawing(2, WIDE_BOX, TRUE)] * 30


def test_without_known_drawings_there_are_no_habits_and_one_drawing_changes_little():
    assert fit_habits([]) == {}
    habits = fit_habits(ROOMY[:1])
    assert habits["2"].edges[0] < 0.015
    assert habits[CROWD].spread == pytest.approx(NOBODY_KNOWS.spread, abs=0.002)


def test_a_worker_s_room_around_things_is_learned_in_shares_of_what_was_drawn():
    habits = fit_habits([*EXACT, *ROOMY])
    left, top, right, bottom = habits["2"].edges
    assert 0.08 < left < 0.1 and -0.1 < right < -0.08 and (top, bottom) == (0, 0)
    crowd = 0.1 * len(ROOMY) / (len(EXACT) + len(ROOMY) + OF_CROWD)
    assert habits[CROWD].edges[0] == pytest.approx(crowd, abs=1e-4)
    assert habits["1"].edges[0] == pytest.approx(crowd * OF_WORKER / (len(EXACT) + OF_WORKER), abs=1e-4)


def test_who_scatters_has_the_larger_spread():
    shaky = [KnownDrawing(3, Box(120 + shift, 100, 280 + shift, 500), TRUE) for shift in (-30, 30) * 15]
    habits = fit_habits([*EXACT, *shaky])
    assert habits["1"].spread < habits[CROWD].spread < habits["3"].spread


def test_what_lies_far_off_is_no_habit():
    far = KnownDrawing(4, Box(0, 100, 280, 500), Box(200, 100, 280, 500))
    assert fit_habits([far])[CROWD].edges[0] == pytest.approx(fitting.FARTHEST / (1 + OF_CROWD), abs=1e-4)


def test_only_those_with_the_most_drawings_have_a_habit_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fitting, "MOST", 1)
    assert set(fit_habits([*EXACT, *ROOMY[:3]])) == {CROWD, "1"}


EXACT_BOX, CARELESS = Habit(spread=0.02), Habit(spread=0.2)
FIRST, SECOND = Drawing(1, 7, Box(100, 100, 200, 300)), Drawing(2, 8, Box(111, 100, 211, 320))


MARGIN, NARROW = Habit((0.1, 0.05, -0.1, 0.0)), Habit((-0.2, -0.2, 0.2, 0.2))
THIN = Habit((0.49, 0.49, -0.49, -0.49))
PIXEL = Drawing(1, 7, Box(5, 5, 6, 6))
MIDDLE = "workers who are equally exact meet in the middle rounded half up"


@case("one drawing of a worker whose habit nobody knows stays", [FIRST], {}, FIRST.box)
@case(MIDDLE, [FIRST, SECOND], {}, Box(106, 100, 206, 310))
@case("the margin that a worker usually leaves is taken off", [FIRST], {"7": MARGIN}, Box(110, 110, 190, 300))
@case("no edge leaves what was drawn", [FIRST], {"7": NARROW}, FIRST.box)
@case("every box has a pixel", [PIXEL], {"7": THIN}, PIXEL.box)
def test_the_box_that_is_made_of_drawings(drawings: list[Drawing], habits: dict[str, Habit], box: Box):
    assert fuse(drawings, habits) == box


def test_who_draws_more_exactly_weighs_more_whoever_came_first():
    assert fuse([FIRST, SECOND], {"7": EXACT_BOX, "8": CARELESS}).x0 == 100
    assert fuse([SECOND, FIRST], {"7": CARELESS, "8": EXACT_BOX}).x0 == 111
