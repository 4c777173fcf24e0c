"""Box drawing: one new box, or none missing, and the fourth fruitless one."""

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_drawing import Verdict, decide
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, MAN, NONE_MISSING, Story, started

D, Q = Task.BOX_DRAWING, Task.BOX_QUALITY


def test_what_follows_a_drawing_judgment():
    for drew, accepted, fruitless, verdict in [
        (True, 0, 0, Verdict.BOX),
        (True, 3, 3, Verdict.BOX),
        (False, 0, 1, Verdict.NONE_AT_ALL),
        (False, 1, 1, Verdict.NONE_MISSING),
        (False, 1, 3, Verdict.NONE_MISSING),
        (False, 1, 4, Verdict.CYCLING),
        (False, 0, 4, Verdict.CYCLING),
    ]:
        found = decide(drew=drew, accepted_boxes=accepted, fruitless=fruitless)
        assert found is verdict, (drew, accepted, fruitless)


def test_a_box_goes_to_quality_as_it_was_drawn():
    story = started([MAN])
    entry = story.judge(D, BOX, worker=3)
    box = story.progress.boxes[0]
    assert (box.box, box.state, box.worker, box.entry) == (Box(10, 10, 50, 50), BoxState.PENDING, 3, entry)
    assert story.asked() == [(Q, [0, 0])]


def test_none_missing_goes_to_coverage_if_there_is_an_accepted_box():
    story = started([MAN])
    story.draw_accepted()
    story.judge(Task.BOX_COVERAGE, "more needed", worker=5)
    story.judge(D, NONE_MISSING, worker=6)
    assert story.asked() == [(Task.BOX_COVERAGE, [0])]
    assert story.chain().requirement == [], "only a chain without a box gets a vote for no box"


def bad_box(story: Story) -> None:
    story.judge(D, BOX, worker=1)
    story.judge(Q, "bad", worker=2)


def fruitless_visit(story: Story) -> None:
    story.judge(D, NONE_MISSING, worker=1)
    if story.state() is ChainState.COVERAGE:
        story.judge(Task.BOX_COVERAGE, "more needed", worker=20 + story.progress.sequence)


def test_the_fourth_fruitless_drawing_goes_to_review_by_bad_boxes():
    story = started([MAN])
    for _ in range(3):
        bad_box(story)
        assert story.state() is ChainState.DRAWING
    bad_box(story)
    assert (story.state(), story.chain().review, story.asked()) == (ChainState.REVIEW, "cycling", [])
    assert story.boxes(BoxState.DISCARDED) == [0, 1, 2, 3]


def test_the_fourth_fruitless_drawing_goes_to_review_by_none_missing_and_bad_boxes_mixed():
    story = started([MAN])
    story.draw_accepted()
    story.judge(Task.BOX_COVERAGE, "more needed", worker=5)
    for step in (bad_box, fruitless_visit, bad_box):
        step(story)
        assert story.state() is ChainState.DRAWING
    story.judge(D, NONE_MISSING, worker=1)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "cycling")


def test_an_accepted_box_begins_the_count_anew():
    story = started([MAN])
    for _ in range(3):
        bad_box(story)
    story.draw_accepted()
    story.judge(Task.BOX_COVERAGE, "more needed", worker=5)
    assert story.chain().fruitless == 0
    for _ in range(3):
        bad_box(story)
    assert story.state() is ChainState.DRAWING


def test_a_good_box_at_the_fourth_try_goes_on():
    story = started([MAN])
    for _ in range(3):
        bad_box(story)
    story.draw_accepted()
    assert story.state() is ChainState.COVERAGE


def test_a_voided_box_is_no_fruitless_drawing():
    story = started([MAN], settings=ProtocolSettings(fruitless_drawings=1))
    story.void(story.judge(D, BOX, worker=1))
    assert (story.state(), story.chain().fruitless) == (ChainState.DRAWING, 0)


def test_requirement_does_not_begin_the_count_anew():
    story = started([MAN])
    votes = iter(range(50, 99))
    for n in range(1, 5):
        story.judge(D, NONE_MISSING, worker=n)
        if n < 4:
            assert story.state() is ChainState.REQUIREMENT
        while story.state() is ChainState.REQUIREMENT:
            story.judge(Task.BOX_REQUIREMENT, 1, next(votes))
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "cycling")
