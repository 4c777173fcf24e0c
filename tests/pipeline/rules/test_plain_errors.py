"""Errors of a read value, in plain words."""

from typing import Annotated

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from pipeline.rules.plain_errors import one_of, plain_errors, should_be

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


def test_an_error_of_no_part_is_one_of_the_whole():
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Small).validate_python(12)
    assert plain_errors(caught.value, "the answer") == "the answer=12 should be a digit"


def test_a_long_value_is_cut():
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Small).validate_python("x" * 1000)
    assert len(plain_errors(caught.value, "it")) < 80
