"""Habits are learned from what was drawn of known boxes, each pulled towards that of the crowd."""

import pytest

from annotation.rules.box import Box
from pipeline.rules.exactness import fit_habits as fitting
from pipeline.rules.exactness.fit_habits import OF_CROWD, OF_WORKER, KnownDrawing, fit_habits
from pipeline.rules.exactness.habit import CROWD, NOBODY_KNOWS

TRUE, WIDE = Box(120, 100, 280, 500), Box(100, 100, 300, 500)
EXACT, ROOMY = [KnownDrawing(1, TRUE, TRUE)] * 30, [KnownDrawing(2, WIDE, TRUE)] * 30


def test_without_known_drawings_there_are_no_habits():
    assert fit_habits([]) == {}


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


def test_one_drawing_changes_little():
    habits = fit_habits(ROOMY[:1])
    assert habits["2"].edges[0] < 0.015
    assert habits[CROWD].spread == pytest.approx(NOBODY_KNOWS.spread, abs=0.002)


def test_what_lies_far_off_is_no_habit():
    far = KnownDrawing(4, Box(0, 100, 280, 500), Box(200, 100, 280, 500))
    assert fit_habits([far])[CROWD].edges[0] == pytest.approx(fitting.FARTHEST / (1 + OF_CROWD), abs=1e-4)


def test_only_those_with_the_most_drawings_have_a_habit_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fitting, "MOST", 1)
    assert set(fit_habits([*EXACT, *ROOMY[:3]])) == {CROWD, "1"}
