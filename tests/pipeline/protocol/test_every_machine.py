"""All tables of steps together.
Errors of a read value, in plain words.
Keys of caches by which object it is.
A worker's habit tells what to take off a drawn box, and how exact it is expected to be.
Habits are learned from what was drawn of known boxes, each pulled towards that of the crowd.
One box is made of several drawings: by the mean of the edges, who draws exactly weighing more.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from annotation.rules.box import Box
from annotation.rules.drawing import Drawing
from annotation.rules.plain_errors import one_of, plain_errors, should_be
from annotation.rules.same_object import SameObject
from annotation.rules.states import ChainState
from belief import habits
from belief.habits import (
    CROWD,
    IMAGINED_OF_CROWD,
    IMAGINED_OF_WORKER,
    NO_HABIT,
    Habit,
    KnownDrawing,
    edge_error,
    fit_habits,
    fuse,
    habit_of,
    likely_iou,
    pointing_error,
    without_habit,
)
from pipeline.protocol.tasks.flow import (
    REVIEW_TRANSITIONS,
    SETTLED,
    TABLES,
    TASK_OF_STATE,
    IllegalStepError,
    ReviewStep,
    step,
)
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from tests.support.table import case


def steps() -> Iterator[tuple[ChainState, StrEnum, ChainState]]:
    for table in (*TABLES.values(), REVIEW_TRANSITIONS):
        for (state, verdict), new in table.items():
            yield state, verdict, new


def test_settled_states_are_closed_but_for_review_and_only_review_and_settled_chains_have_no_question():
    assert {(v, new) for state, v, new in steps() if state in SETTLED} == {(ReviewStep.NEEDED, ChainState.REVIEW)}
    assert set(TASK_OF_STATE) == set(ChainState) - SETTLED - {ChainState.REVIEW}
    assert set(TASK_OF_STATE.values()) == set(PROTOCOL_TASKS)


def step_or_refusal(state: ChainState, verdict: StrEnum) -> ChainState | str:
    """Return the new state, or why the step is refused."""
    try:
        return step(state, verdict)
    except IllegalStepError as error:
        return f"refused: {error}"


def test_a_step_that_no_table_names_is_refused():
    known = {(before, id(verdict)): new for before, verdict, new in steps()}
    verdicts = [verdict for kind in {type(verdict) for _, verdict, _ in steps()} for verdict in kind]
    for state, verdict in product(ChainState, verdicts):
        found = step_or_refusal(state, verdict)
        if new := known.get((state, id(verdict))):
            assert found is new, f"{state}, {verdict!r}"
        else:
            assert found.startswith("refused: ") and str(state) in found, f"{state}, {verdict!r}"


def test_an_equal_word_of_another_task_is_refused():
    from pipeline.protocol.tasks.box_coverage import CoverageAnswer, CoverageVerdict

    assert CoverageAnswer.ALL_THERE == CoverageVerdict.ALL_THERE
    with pytest.raises(IllegalStepError):
        step(ChainState.COVERAGE, CoverageAnswer.ALL_THERE)


Small = Annotated[int, Field(le=9), should_be("a digit")]


class Read(BaseModel):
    digits: dict[Annotated[str, one_of(("a", "b"))], Small]
    names: list[str] = Field(default_factory=list)


def faults(value: object) -> str:
    """Return what is wrong with the value, or nothing if it is read."""
    try:
        Read.model_validate(value)
    except ValidationError as error:
        return plain_errors(error, "the file")
    return ""


def test_each_wrong_value_is_named_with_its_place_and_what_it_should_be():
    wrong: list[tuple[object, str]] = [
        ({"digits": {"a": 10}}, "digits['a']=10 should be a digit"),
        ({"digits": {"c": 1}}, 'digits: the name \'c\' should be one of: "a", "b"'),
        ({"digits": [1]}, "digits=[1] should be an object with named values"),
        ({"digits": {}, "names": 3}, "names=3 should be a list"),
        ({}, "digits is missing"),
        ({"digits": {"a": 10, "b": 11}}, "digits['a']=10 should be a digit; digits['b']=11 should be a digit"),
    ]
    assert [(value, faults(value)) for value, _ in wrong] == wrong


def test_an_error_of_no_part_is_one_of_the_whole_and_a_long_value_is_cut():
    for value, words in ((12, "the answer=12 should be a digit"), ("x" * 1000, "the answer=.{,68}")):
        with pytest.raises(ValidationError) as caught:
            TypeAdapter(Small).validate_python(value)
        assert re.fullmatch(words, plain_errors(caught.value, "the answer"))


def test_one_object_has_equal_keys_and_an_equal_one_has_another() -> None:
    value: dict[str, int] = {}
    assert SameObject(value) == SameObject(value) and hash(SameObject(value)) == hash(SameObject(value))
    assert SameObject(value) != SameObject(dict(value)) and SameObject(value) != value


WIDE = Habit((0.1, 0.0, -0.1, 0.05), 0.06)


def test_a_worker_without_a_habit_of_their_own_has_that_of_the_crowd_and_an_expert_none():
    habits = {CROWD: WIDE, "7": NO_HABIT}
    assert [habit_of(worker, habits) for worker in (7, 8, None)] == [NO_HABIT, WIDE, NO_HABIT]
    assert habit_of(8, {}) == NO_HABIT


def test_a_habit_is_taken_off_in_shares_of_the_sides():
    assert without_habit(Box(100, 50, 300, 90), WIDE) == pytest.approx((120, 50, 280, 92))


def test_edges_of_small_boxes_and_of_careless_workers_are_farther_off():
    small, large = Box(0, 0, 20, 20), Box(0, 0, 400, 400)
    assert edge_error(large, NO_HABIT) == NO_HABIT.spread + pointing_error(large)
    assert likely_iou(small, NO_HABIT) < likely_iou(large, WIDE) < likely_iou(large, NO_HABIT) < 1
    assert likely_iou(Box(0, 0, 1, 1), WIDE) == 0


TRUE, WIDE_BOX = Box(120, 100, 280, 500), Box(100, 100, 300, 500)
EXACT, ROOMY = [KnownDrawing(1, TRUE, TRUE)] * 30, [KnownDrawing(2, WIDE_BOX, TRUE)] * 30


def test_without_known_drawings_there_are_no_habits_and_one_drawing_changes_little():
    assert fit_habits([]) == {}
    habits = fit_habits(ROOMY[:1])
    assert habits["2"].edges[0] < 0.015
    assert habits[CROWD].spread == pytest.approx(NO_HABIT.spread, abs=0.002)


def test_a_worker_s_room_around_things_is_learned_in_shares_of_what_was_drawn():
    habits = fit_habits([*EXACT, *ROOMY])
    left, top, right, bottom = habits["2"].edges
    assert 0.08 < left < 0.1 and -0.1 < right < -0.08 and (top, bottom) == (0, 0)
    crowd = 0.1 * len(ROOMY) / (len(EXACT) + len(ROOMY) + IMAGINED_OF_CROWD)
    assert habits[CROWD].edges[0] == pytest.approx(crowd, abs=1e-4)
    assert habits["1"].edges[0] == pytest.approx(
        crowd * IMAGINED_OF_WORKER / (len(EXACT) + IMAGINED_OF_WORKER), abs=1e-4
    )


def test_who_scatters_has_the_larger_spread():
    shaky = [KnownDrawing(3, Box(120 + skill, 100, 280 + skill, 500), TRUE) for skill in (-30, 30) * 15]
    habits = fit_habits([*EXACT, *shaky])
    assert habits["1"].spread < habits[CROWD].spread < habits["3"].spread


def test_what_lies_far_off_is_no_habit():
    far = KnownDrawing(4, Box(0, 100, 280, 500), Box(200, 100, 280, 500))
    assert fit_habits([far])[CROWD].edges[0] == pytest.approx(habits.MAX_SHIFT / (1 + IMAGINED_OF_CROWD), abs=1e-4)


def test_only_those_with_the_most_drawings_have_a_habit_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(habits, "MAX_WORKERS", 1)
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
