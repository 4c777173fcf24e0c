"""Answers to the question whether a word's meaning can be seen."""

from pipeline.rules.tasks.answers import CHOICES, schema_of
from pipeline.rules.tasks.atom_visual import Category
from pipeline.rules.tasks.task import Task


def test_the_answer_is_yes_or_no() -> None:
    assert CHOICES[Task.ATOM_VISUAL] == ("yes", "no")
    assert schema_of(Task.ATOM_VISUAL) == {"type": "string", "enum": ["yes", "no"]}


def test_an_atom_is_of_one_of_three_kinds() -> None:
    assert [category.value for category in Category] == ["entity", "action", "attribute"]
