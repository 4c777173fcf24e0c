"""All tables of steps together."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import product

import pytest

from annotation.rules.states import ChainState
from pipeline.rules.tasks.flow import ASKED, REVIEW_TRANSITIONS, SETTLED, TABLES, IllegalStepError, Review, step
from pipeline.rules.tasks.task import PROTOCOL_TASKS


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


def test_a_task_steps_from_its_own_state_only_and_knows_all_its_verdicts():
    for task in PROTOCOL_TASKS:
        table = TABLES[task]
        assert {ASKED[state] for state, _ in table} == {task}
        (kind,) = {type(verdict) for _, verdict in table}
        assert {verdict for _, verdict in table} == set(kind), task


def step_or_refusal(state: ChainState, verdict: StrEnum) -> ChainState | str:
    """Return the new state, or why the step is refused."""
    try:
        return step(state, verdict)
    except IllegalStepError as error:
        return f"refused: {error}"


def test_a_step_that_no_table_names_is_refused():
    known = {(before, id(verdict)): new for before, verdict, new in steps()}
    for state, verdict in product(ChainState, every_verdict()):
        found = step_or_refusal(state, verdict)
        if new := known.get((state, id(verdict))):
            assert found is new, f"{state}, {verdict!r}"
        else:
            assert found.startswith("refused: ") and str(state) in found, f"{state}, {verdict!r}"


def test_an_equal_word_of_another_task_is_refused():
    from pipeline.rules.tasks.box_coverage import Answer, Verdict

    assert Answer.ALL_THERE == Verdict.ALL_THERE
    with pytest.raises(IllegalStepError):
        step(ChainState.COVERAGE, Answer.ALL_THERE)
