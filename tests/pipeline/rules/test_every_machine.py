"""All tables of steps together."""

from collections.abc import Iterator
from enum import StrEnum

import pytest

from annotation.rules.states import ChainState
from pipeline.rules.tasks.flow import ASKED, REVIEW_TRANSITIONS, SETTLED, TABLES, IllegalStepError, Review, step
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task


def steps() -> Iterator[tuple[ChainState, StrEnum, ChainState]]:
    for table in (*TABLES.values(), REVIEW_TRANSITIONS):
        for (state, verdict), new in table.items():
            yield state, verdict, new


def every_verdict() -> list[StrEnum]:
    return [verdict for kind in {type(verdict) for _, verdict, _ in steps()} for verdict in kind]


def test_every_state_is_reached_from_linking():
    reached = {ChainState.LINKING}
    while new := {after for before, _, after in steps() if before in reached} - reached:
        reached |= new
    assert reached == set(ChainState)


def test_every_state_but_the_settled_is_left_by_the_crowd_or_an_expert():
    assert {before for before, verdict, _ in steps() if verdict is not Review.NEEDED} == set(ChainState) - SETTLED


def test_settled_states_are_closed_but_for_review():
    assert {(v, new) for state, v, new in steps() if state in SETTLED} == {(Review.NEEDED, ChainState.REVIEW)}


def test_only_review_and_settled_chains_have_no_question():
    assert set(ASKED) == set(ChainState) - SETTLED - {ChainState.REVIEW}
    assert set(ASKED.values()) == set(PROTOCOL_TASKS)


@pytest.mark.parametrize("task", PROTOCOL_TASKS)
def test_a_task_steps_from_its_own_state_only_and_knows_all_its_verdicts(task: Task):
    table = TABLES[task]
    assert {ASKED[state] for state, _ in table} == {task}
    (kind,) = {type(verdict) for _, verdict in table}
    assert {verdict for _, verdict in table} == set(kind)


@pytest.mark.parametrize("state", list(ChainState))
def test_a_step_that_no_table_names_is_refused(state: ChainState):
    known = {id(verdict): new for before, verdict, new in steps() if before is state}
    for verdict in every_verdict():
        if id(verdict) in known:
            assert step(state, verdict) is known[id(verdict)]
        else:
            with pytest.raises(IllegalStepError, match=str(state)):
                step(state, verdict)


def test_an_equal_word_of_another_task_is_refused():
    from pipeline.rules.tasks.box_coverage import Answer, Verdict

    assert Answer.ALL_THERE == Verdict.ALL_THERE
    with pytest.raises(IllegalStepError):
        step(ChainState.COVERAGE, Answer.ALL_THERE)
