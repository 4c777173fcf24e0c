"""A box that is likely loose is drawn once more by somebody who does not see it, and is made of both drawings."""

import json
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.exactness.fuse_boxes import Drawing
from pipeline.rules.image.box_evidence import answers_of
from pipeline.rules.image.chain_steps import Act
from pipeline.rules.image.redraw import box_to_redraw, hear_drawing
from pipeline.rules.image.who_may_answer import barred_from
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.progress.question_view import question_view
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, NONE_MISSING, Story, started

DRAW, JUDGE, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
GUY = ("people", "a man")
NEAR, FAR = {"box": [14, 10, 54, 50]}, {"box": [60, 60, 90, 90]}
MIDDLE = Box(12, 10, 52, 50)
FUSING = ProtocolSettings(box_policy=BoxPolicy.BELIEF, fuse_boxes=True, redraw_below=0.99)


def begun(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions or [GUY]), settings=replace(FUSING, **changes))


def hidden(**changes: Any) -> Story:
    """Worker 1 has drawn, 2 found all there, and the box is to be drawn once more."""
    story = begun(**changes)
    story.judge(DRAW, BOX, worker=1)
    while story.asked() != [(DRAW, [0, 0])]:
        story.judge(story.asked()[0][0], "all there" if story.asked()[0][0] is COVER else "good", worker=2)
    return story


def assert_replayed(story: Story) -> None:
    assert to_json(fold_record(story.record)) == to_json(story.progress)


def test_a_box_is_drawn_once_more_before_its_chain_is_complete_by_who_has_not_seen_it():
    story = hidden()
    question = story.question(DRAW)
    assert question.barred == [1, 2]
    assert question_view(story.progress, question)["boxes"] == [], "nobody sees what is to be drawn"
    assert story.progress.boxes[0].state is BoxState.ACCEPTED


def test_the_box_is_made_of_both_drawings_and_the_chain_goes_on():
    story = hidden()
    story.judge(DRAW, NEAR, worker=3)
    box = story.progress.boxes[0]
    assert (box.box, box.worker, story.state()) == (MIDDLE, 1, ChainState.COMPLETE)
    assert [(one.worker, one.box) for one in box.drawings] == [(1, Box(*BOX["box"])), (3, Box(*NEAR["box"]))]
    assert "drawn again" in story.reasons("box")
    assert_replayed(story)
    assert json.loads(json.dumps(to_json(story.progress))) == to_json(story.progress)


def test_who_draws_a_box_again_makes_it_surer_and_who_misses_nothing_less_sure():
    again, none = hidden(), hidden()
    again.judge(DRAW, NEAR, worker=3)
    none.judge(DRAW, NONE_MISSING, worker=3)
    said = [answers_of(story.progress, story.chain())[-1] for story in (again, none)]
    assert [(one.task, one.answer, one.box) for one in said] == [(JUDGE, "good", 0), (JUDGE, "bad", 0)]
    assert none.state() is not ChainState.COMPLETE
    assert none.chain().heard[-1].boxes == [] and none.chain().heard[-1].answer == NOTHING_DRAWN
    assert none.progress.boxes[0].box == Box(*BOX["box"])


def test_a_box_of_which_little_overlaps_the_hidden_one_is_the_same_thing_too():
    story = hidden()
    story.judge(DRAW, {"box": [30, 10, 70, 50]}, worker=3)
    assert story.progress.boxes[0].box == Box(20, 10, 60, 50)


def test_something_else_that_is_drawn_is_another_box_and_the_first_is_asked_about_once():
    story = hidden()
    story.judge(DRAW, FAR, worker=3)
    assert [box.box for box in story.progress.boxes.values()] == [Box(*BOX["box"]), Box(*FAR["box"])]
    act = Act(story.progress, story.settings, 99)
    assert box_to_redraw(act, story.chain()) in (None, 1)


@pytest.mark.parametrize(
    "changes", [{"redraw_below": 0.0}, {"fuse_boxes": False}, {"redraw_below": 0.5}], ids=["off", "alone", "exact"]
)
def test_nobody_is_asked_where_the_settings_do_not_say_so(changes: dict[str, Any]):
    story = begun(**changes)
    story.judge(DRAW, BOX, worker=1)
    while story.progress.open:
        assert len(story.asked()[0][1]) == 1 or story.asked()[0][0] is JUDGE
        story.judge(story.asked()[0][0], "all there" if story.asked()[0][0] is COVER else "good", worker=2)
    assert story.progress.boxes[0].box == Box(*BOX["box"])


def test_a_box_that_nobody_may_draw_again_stays_and_its_chain_needs_no_expert():
    story = hidden()
    story.add(EntryKind.STARVE, {"question": story.question(DRAW).number})
    assert story.state() is ChainState.COMPLETE
    assert story.progress.boxes[0].box == Box(*BOX["box"])
    assert_replayed(story)


def twice_drawn() -> tuple[Story, int, int]:
    """Return a chain whose second box workers 11 and 12 have drawn, and the entries of both; the first one waits."""
    story = begun(("animals", "two dogs"))
    story.judge(DRAW, BOX, worker=1)
    story.settings = replace(story.settings, box_sure=0.5)
    first = story.judge(DRAW, FAR, worker=11)
    assert story.asked() == [(DRAW, [0, 1])], "the smaller box is likely looser"
    second = story.judge(DRAW, {"box": [64, 60, 94, 90]}, worker=12)
    assert story.asked() == [(DRAW, [0, 0])]
    return story, first, second


def test_neither_drawer_judges_the_box_or_the_coverage_that_it_led_to():
    story, *_ = twice_drawn()
    assert {11, 12} <= set(barred_from(story.progress, JUDGE, [0, 1]))
    assert {11, 12} <= set(barred_from(story.progress, COVER, [0]))


@pytest.mark.parametrize("which", [0, 1], ids=["the first", "the second"])
def test_each_of_two_drawings_is_taken_back_alone(which: int):
    story, *entries = twice_drawn()
    assert story.progress.boxes[1].box == Box(62, 60, 92, 90)
    story.void(entries[which])
    box = story.progress.boxes[1]
    assert (box.worker, box.box) == ((12, Box(64, 60, 94, 90)), (11, Box(60, 60, 90, 90)))[which]
    assert [one.answer for one in answers_of(story.progress, story.chain())] == [None, None]
    assert box.state is BoxState.ACCEPTED and len(story.progress.open) == 1
    assert_replayed(story)


def test_a_drawing_on_a_shown_box_is_one_more_drawing_of_it_if_they_would_merge():
    story = begun(("animals", "some dogs"))
    story.judge(DRAW, BOX, worker=1)
    story.judge(DRAW, NEAR, worker=2)
    assert story.progress.boxes[0].box == MIDDLE
    assert 2 in story.question(DRAW).barred, "whether something is missing is asked of each worker once"
    other = begun(("animals", "some dogs"), merge_iou=0.9)
    other.judge(DRAW, BOX, worker=1)
    other.judge(DRAW, NEAR, worker=2)
    assert len(other.progress.boxes) == 2


def test_a_box_is_also_made_of_what_was_dropped_there_but_not_of_what_was_voided():
    story = begun()
    story.judge(DRAW, BOX, worker=1)
    story.progress.boxes[0].state = BoxState.DISCARDED
    act = Act(story.progress, story.settings, 99)
    assert story.progress.boxes[hear_drawing(act, story.question(COVER), 5, Box(*NEAR["box"]))].box == MIDDLE
    story = begun()
    story.void(story.judge(DRAW, BOX, worker=1))
    story.judge(DRAW, NEAR, worker=2)
    assert story.progress.boxes[1].box == Box(*NEAR["box"])


def test_a_worker_who_draws_there_again_counts_once():
    story = begun(("animals", "some dogs"))
    for drawn in (BOX, NEAR):
        story.judge(DRAW, drawn, worker=1)
    box = story.progress.boxes[0]
    assert (box.box, len(box.drawings)) == (Box(*NEAR["box"]), 2)


def test_the_margin_that_a_worker_usually_leaves_is_taken_off_at_once():
    habits = {"1": {"edges": [0.1, 0.0, -0.1, 0.0], "spread": 0.03}}
    story = begun(box_prior={"habits": habits})
    story.judge(DRAW, BOX, worker=1)
    assert story.progress.boxes[0].box == Box(14, 10, 46, 50)
    assert story.progress.boxes[0].drawings == [Drawing(2, 1, Box(*BOX["box"]))]


def test_the_paper_s_loop_takes_a_second_drawing_that_was_asked_for():
    story = hidden()
    story.settings = ProtocolSettings()
    story.judge(DRAW, NEAR, worker=3)
    assert (story.progress.boxes[0].box, story.state()) == (MIDDLE, ChainState.COVERAGE)
    assert 3 in story.question(COVER).barred
    story = hidden()
    story.settings = ProtocolSettings()
    story.add(EntryKind.STARVE, {"question": story.question(DRAW).number})
    assert story.state() is ChainState.COVERAGE
