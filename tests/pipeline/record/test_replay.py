from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Box, Chain, Image, Mention, MergedBox
from pipeline.models import Entry, Progress, Question
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import Task
from tests.support.projects import answer, box, phrases, project_of, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture
def project():  # type: ignore[no-untyped-def]
    """One image merged, one in the midst of it."""
    made = project_of(phrases("people: a man"), phrases("animals: a dog", name="2"))
    ada, bob, cleo = (worker(made, name) for name in ("ada", "bob", "cleo"))
    answer(made, ada, Task.BOX_DRAWING, box(1, 1, 50, 50))
    answer(made, bob, Task.BOX_QUALITY, "good")
    answer(made, bob, Task.BOX_COVERAGE, "all there")
    answer(made, cleo, Task.BOX_COVERAGE, "all there")
    answer(made, ada, Task.BOX_REQUIREMENT, 3)
    assert Image.objects.filter(state="merged").count() == 1
    return made


def test_what_was_done_through_the_verbs_replays_cleanly(project: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(replay(project)) == []
    call_command("replay", project.name)
    assert "2 images replayed" in capsys.readouterr().out


TAMPERED = [
    (Image, {"state": "merged"}, {"state": "boxing"}, "the image's state"),
    (Chain, {"state": "complete"}, {"state": "drawing"}, "chains 0"),
    (Chain, {"state": "requirement"}, {"doubted": "why not"}, "chains 0"),
    (Mention, {"text": "a man"}, {"types": ["animals"]}, "mentions 0"),
    (Box, {"number": 0}, {"x1": 51}, "boxes 0"),
    (MergedBox, {"number": 0}, {"members": [1]}, "merged 0"),
    (Question, {"state": "open"}, {"barred": []}, "questions 0"),
    (Question, {"state": "open"}, {"state": "closed", "outcome": "box"}, "questions 0"),
    (Progress, {"image__name": "2"}, {"state": {}}, "the kept progress"),
]


@pytest.mark.parametrize(("table", "where", "values", "what"), TAMPERED)
def test_a_stored_row_that_the_record_does_not_make_is_found(
    project: Any, table: Any, where: dict[str, Any], values: dict[str, Any], what: str
) -> None:
    assert table.objects.filter(**where).update(**values) == 1
    found = list(replay(project))
    assert len(found) == 1 and what in found[0].what
    assert found[0].image in str(found[0]) and "but the record makes it" in str(found[0])
    with pytest.raises(CommandError, match="1 differences"):
        call_command("replay", project.name)


def test_a_record_with_a_hole_is_found(project: Any) -> None:
    Entry.objects.filter(kind="start")._raw_delete("default")
    assert {difference.what for difference in replay(project)} == {"the record"}


def test_an_unknown_project_is_refused_with_the_names_there_are() -> None:
    project_of(name="parks")
    with pytest.raises(CommandError, match="parks"):
        call_command("replay", "beaches")
