"""JSON as text: times and stored values come from both engines as they are written everywhere else."""

from datetime import UTC, datetime

import pytest

from annotation.models import Caption, Project
from exchange.json_text import IsoTime, column_text, json_text, list_text, stored_text
from tests.support.projects import phrases, project_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]


@pytest.mark.parametrize("microsecond", [0, 100, 123_456])
def test_a_time_is_what_isoformat_writes(microsecond: int) -> None:
    at = datetime(2026, 11, 28, 23, 5, 9, microsecond, tzinfo=UTC)
    project = Project.objects.create(name="parks", created_at=at)
    assert Project.objects.values_list(IsoTime("created_at"), flat=True).get(pk=project.pk) == at.isoformat()


@pytest.mark.parametrize("words", [["Größe", "“x”", 'a "b"', "\\", "\u2028"], ["plain", "words"], []])
def test_stored_json_is_written_as_from_values(words: list[str]) -> None:
    project_of(phrases("people: a man"))
    Caption.objects.update(words=words, non_visual={"b": [1, 2], "a": None})
    lists, values = Caption.objects.values_list(column_text("words"), column_text("non_visual")).get()
    assert list_text(lists) == json_text(words)
    assert stored_text(values) == '{"a": null, "b": [1, 2]}'
