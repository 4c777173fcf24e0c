"""An expert sends any chain to review, and asks others than those who have answered."""

import pytest

from annotation.rules.states import ChainState
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.expert_acts import ACTIONS
from pipeline.rules.tasks.task import Task
from tests.support.images import MAN, PARK, started


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
