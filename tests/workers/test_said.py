"""Sentences of the service in the reader's language."""

from collections.abc import Iterator

import pytest
from django.utils import translation

from annotation import project_terms
from messaging.errors import BadMessageError
from pipeline import errors
from pipeline.rules.tasks.task import Task
from upkeep import faults
from workers.said import said
from workers.sentences import SENTENCES


@pytest.fixture
def german() -> Iterator[None]:
    with translation.override("de"):
        yield


def test_english_is_left_as_it_is() -> None:
    assert said("Nothing that anybody said.") == "Nothing that anybody said."
    assert said("coreference link") == "coreference link"


def test_a_sentence_is_translated_with_its_values(german: None) -> None:
    text = "You may take the test again from 2 Jan 2026, 03:04 UTC."
    assert said(text) == "Sie können den Test ab 2 Jan 2026, 03:04 UTC noch einmal machen."


def test_a_value_that_is_a_sentence_of_ours_is_translated_too(german: None) -> None:
    assert said("This session is for box drawing, and for nothing else.").startswith(
        "Diese Sitzung ist für „Rahmen zeichnen“"
    )


def test_words_of_a_requester_stay_as_they_are(german: None) -> None:
    refused = "$1.00 for your assignment box drawing of 2 Jan 2026, 03:04 UTC is refused: The boxes {are} too\nlarge."
    assert said(refused).endswith("werden nicht bezahlt: The boxes {are} too\nlarge.")
    assert said("Your boxes are too large.") == "Your boxes are too large."


def test_every_sentence_that_workers_read_from_below_is_known() -> None:
    assert {task.label for task in Task} <= set(SENTENCES)
    kinds = [one for one in errors.PipelineError.__subclasses__() if one.__module__ == errors.__name__]
    assert {one.__doc__ for one in (*kinds, BadMessageError)} <= set(SENTENCES)
    assert {one.message for one in vars(faults).values() if isinstance(one, faults.Fault)} <= set(SENTENCES)
    terms = {value for name, value in vars(project_terms).items() if name.isupper() and isinstance(value, str)}
    assert terms <= set(SENTENCES)
