"""All tables of steps together.
Errors of a read value, in plain words.
Keys of caches by which object it is.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from annotation.rules.states import ChainState
from pipeline.rules.plain_errors import one_of, plain_errors, should_be
from pipeline.rules.same_object import SameObject
from pipeline.rules.tasks.flow import ASKED, REVIEW_TRANSITIONS, SETTLED, TABLES, IllegalStepError, Review, step
from pipeline.rules.tasks.task import PROTOCOL_TASKS


def steps() -> Iterator[tuple[ChainState, StrEnum, ChainState]]:
    for table in (*TABLES.values(), REVIEW_TRANSITIONS):
        for (state, verdict), new in table.items():
            yield state, verdict, new


def test_every_state_is_reached_from_linking_and_every_one_but_the_settled_is_left_by_the_crowd_or_an_expert():
    reached = {ChainState.LINKING}
    while new := {after for before, _, after in steps() if before in reached} - reached:
        reached |= new
    assert reached == set(ChainState)
    assert {before for before, verdict, _ in steps() if verdict is not Review.NEEDED} == set(ChainState) - SETTLED


def test_settled_states_are_closed_but_for_review_and_only_review_and_settled_chains_have_no_question():
    assert {(v, new) for state, v, new in steps() if state in SETTLED} == {(Review.NEEDED, ChainState.REVIEW)}
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
    verdicts = [verdict for kind in {type(verdict) for _, verdict, _ in steps()} for verdict in kind]
    for state, verdict in product(ChainState, verdicts):
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
