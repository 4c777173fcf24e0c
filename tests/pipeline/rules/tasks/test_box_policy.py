"""The policies of the box tasks, and the steps that belief may take."""

import pytest

from annotation.rules.states import ChainState
from pipeline.rules.tasks.box_policy import AFTER, BOXING, TRANSITIONS, Verdict
from pipeline.rules.tasks.flow import ASKED, IllegalStepError, step
from pipeline.rules.tasks.task import Task


def test_belief_goes_from_any_box_task_to_any_other_and_to_every_end():
    assert {new for state, _ in TRANSITIONS for new in AFTER.values()} == {
        *BOXING,
        ChainState.COMPLETE,
        ChainState.NON_VISUAL,
        ChainState.REVIEW,
    }
    assert all(step(state, verdict) is after for state in BOXING for verdict, after in AFTER.items())


def test_the_box_tasks_are_those_of_the_paper():
    assert [ASKED[state] for state in BOXING] == [
        Task.BOX_REQUIREMENT,
        Task.BOX_DRAWING,
        Task.BOX_QUALITY,
        Task.BOX_COVERAGE,
    ]


@pytest.mark.parametrize("state", [ChainState.COMPLETE, ChainState.NON_VISUAL, ChainState.REVIEW])
def test_belief_moves_no_chain_that_rests(state: ChainState):
    with pytest.raises(IllegalStepError):
        step(state, Verdict.DRAW)
