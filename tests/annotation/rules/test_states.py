"""The states that the database and the record hold.
Errors of a read value, in plain words.
Keys of caches by which object it is.
"""

import re
from itertools import permutations
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from annotation.rules import states
from annotation.rules.link_group import SameObject
from annotation.rules.plain_errors import one_of, plain_errors, should_be
from annotation.rules.states import MOVES, BoxState, ChainState, ImageState, ProjectMoveError, ProjectState


def test_a_state_is_stored_under_its_word():
    # Rows and records hold these words: a changed word would orphan what is stored.
    assert ", ".join(ChainState) == (
        "linking, verification, requirement, drawing, quality, coverage, complete, non-visual, review"
    )
    assert ", ".join(ImageState) == "linking, boxing, in review, merged"
    assert ", ".join(BoxState) == "pending, accepted, discarded"
    assert ", ".join(states.NonVisual) == "scene, no box"


def test_from_every_state_there_is_a_way_to_be_finished() -> None:
    for state in ProjectState:
        reached, new = {state}, {state}
        while new:
            new = {after for one in new for after in MOVES[one]} - reached
            reached |= new
        assert ProjectState.FINISHED in reached, state


def test_nothing_becomes_a_draft_again() -> None:
    assert all(ProjectState.DRAFT not in moves for moves in MOVES.values())


def refusal(present: ProjectState, wanted: ProjectState) -> str:
    """Return why the move is refused, or nothing if it is not."""
    try:
        states.check_move(present, wanted)
    except ProjectMoveError as error:
        return str(error)
    return ""


def test_a_move_is_possible_exactly_where_there_is_a_button() -> None:
    for present, wanted in permutations(ProjectState, 2):
        said = refusal(present, wanted)
        if wanted in MOVES[present]:
            assert said == "", f"{present} to {wanted}"
        else:
            assert f"A {present} project cannot become {wanted}: from here it can" in said, f"{present} to {wanted}"


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
