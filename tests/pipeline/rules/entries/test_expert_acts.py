"""An expert sends any chain to review, and asks others than those who have answered."""

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from pipeline.rules.entries import expert_acts
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.expert_acts import ACTIONS
from pipeline.rules.tasks.task import Task
from tests.support.images import MAN, PARK, Story, started


def test_any_settled_chain_is_sent_to_review_once() -> None:
    story = started([MAN])
    story.complete()
    story.expert("review", chain=0)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "changed by an expert")
    with pytest.raises(ExpertError, match="waits in review already"):
        story.expert("review", chain=0)


def test_a_chain_that_is_being_linked_goes_to_review_once_it_is_placed() -> None:
    story = started([MAN], [MAN])
    story.expert("review", chain=0)
    assert story.state() is ChainState.LINKING
    story.link((0, 1))
    assert story.state() is ChainState.REVIEW


def test_others_are_asked_and_none_of_those_who_drew_or_voted() -> None:
    story = started([MAN])
    story.draw_accepted(worker=1, judge=2)
    story.judge(Task.BOX_COVERAGE, "more needed", 7)
    story.expert("ask others", chain=0, to="coverage")
    assert story.question(Task.BOX_COVERAGE).barred == [1, 7]
    assert story.chain().coverage == []


def test_others_are_asked_whether_a_box_is_required() -> None:
    story = started([PARK])
    story.judge(Task.BOX_REQUIREMENT, 3, 5)
    story.expert("ask others", chain=0, to="requirement")
    assert story.question(Task.BOX_REQUIREMENT).barred == [5]
    assert story.chain().requirement == []


@pytest.mark.parametrize("to", ["complete", "non-visual", "the moon"])
def test_others_are_asked_a_question_and_nothing_else(to: str) -> None:
    story = started([MAN])
    story.complete()
    with pytest.raises(ExpertError, match=r"choose a task|cannot be sent"):
        story.expert("ask others", chain=0, to=to)


def test_every_act_has_a_name() -> None:
    assert all(name == name.lower() and callable(act) for name, act in ACTIONS.items())


def boxed() -> Story:
    story = started([MAN])
    story.draw_accepted()
    return story


def test_a_moved_box_is_a_new_one_and_the_old_one_is_kept_as_discarded() -> None:
    story = boxed()
    story.expert("move box", box=0, to=[1, 2, 30, 40])
    assert story.progress.boxes[0].state is BoxState.DISCARDED
    assert [box.box for box in story.progress.accepted(0)] == [Box(1, 2, 30, 40)]
    assert story.progress.boxes[1].worker is None, "nobody is paid or scored for it"
    assert story.state() is ChainState.REVIEW


def test_a_box_that_a_worker_judges_is_moved_too() -> None:
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, {"box": [10, 10, 50, 50]})
    story.expert("move box", box=0, to=[1, 2, 30, 40])
    assert (story.boxes(BoxState.ACCEPTED), story.boxes(BoxState.DISCARDED)) == ([1], [0])
    assert story.asked() == []


@pytest.mark.parametrize("to", [[10, 10, 50, 50], [5, 5, 5, 9], [1, 2, 3], "there"])
def test_a_box_is_moved_to_another_place_that_is_a_box(to: object) -> None:
    with pytest.raises(ExpertError, match=r"lies there already|A box is"):
        boxed().expert("move box", box=0, to=to)


def test_a_box_that_is_gone_is_not_moved() -> None:
    story = boxed()
    story.expert("delete box", box=0)
    with pytest.raises(ExpertError, match="no box 0 to move"):
        story.expert("move box", box=0, to=[1, 2, 30, 40])


def test_a_box_judged_bad_counts_once_an_expert_accepts_it() -> None:
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, {"box": [10, 10, 50, 50]})
    story.judge(Task.BOX_QUALITY, "bad")
    entry = story.expert("accept box", box=0)
    assert story.boxes(BoxState.ACCEPTED) == [0]
    assert story.progress.boxes[0].accepted == entry
    story.expert("send", chain=0, to="complete")


def test_an_accepted_box_or_none_is_not_accepted() -> None:
    for box in (0, 5):
        with pytest.raises(ExpertError, match="was discarded or waits"):
            boxed().expert("accept box", box=box)


def test_a_box_whose_chain_is_gone_is_not_accepted() -> None:
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, {"box": [10, 10, 50, 50]})
    story.expert("rechunk", remove=[0], add=[])
    with pytest.raises(ExpertError, match="chain of box 0 is gone"):
        story.expert("accept box", box=0)


def test_the_acts_on_boxes_are_those_of_the_list() -> None:
    assert ACTIONS["move box"] is expert_acts.move_box and ACTIONS["accept box"] is expert_acts.accept_box
