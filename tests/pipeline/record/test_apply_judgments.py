"""Folding: rows locked in their order, and the replay.
The moves of a question's state and lease, only from where it was read; and rows written in bulk.
"""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from annotation.models import Box, Chain, Image, Mention, MergedBox, Project
from pipeline.errors import StateMovedError
from pipeline.models import Assignment, Entry, Progress, Question
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record import append_entries, question_state
from pipeline.record.append_entries import lock_progress
from pipeline.record.bulk_rows import ROWS_PER_STATEMENT, insert_many, update_many
from pipeline.record.question_state import Closing, Reopening
from pipeline.record.read_record import replay
from tests.support.projects import answer, box, lease, phrases, project_of, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT
OPEN, ANSWERED, CLOSED = (state.value for state in (QuestionState.OPEN, QuestionState.ANSWERED, QuestionState.CLOSED))


@pytest.mark.smoke
@pytest.mark.both_engines
def test_more_rows_than_one_statement_takes_are_all_locked_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append_entries, "LOCKED_AT_ONCE", 2)
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(5)))
    ids = sorted(project.images.values_list("id", flat=True))
    with transaction.atomic():
        assert [row.image_id for row in lock_progress([*ids[3:], *ids[:3]])] == ids


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


@pytest.mark.smoke
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


@pytest.mark.smoke
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


@pytest.mark.smoke
def test_a_record_with_a_hole_is_found(project: Any) -> None:
    Entry.objects.filter(kind="start")._raw_delete("default")
    assert {difference.what for difference in replay(project)} == {"the record"}


@pytest.mark.smoke
def test_an_unknown_project_is_refused_with_the_names_there_are() -> None:
    project_of(name="parks")
    with pytest.raises(CommandError, match="parks"):
        call_command("replay", "beaches")


@pytest.fixture
def waiting() -> Project:
    return project_of(*(phrases("animals: a dog", name=name) for name in ("1", "2", "3")))


@pytest.fixture
def held(waiting: Project) -> Assignment:
    """Two of the three questions, lent to ada."""
    return lease(waiting, worker(waiting, "ada"), ASK, size=2)


def rows(project: Project) -> list[tuple[Any, ...]]:
    return list(project.questions.order_by("id").values_list("state", "assignment"))


def test_answered_questions_go_back_to_nobody_held_or_held_no_more(waiting: Project, held: Assignment) -> None:
    question_state.mark_answered(held.questions[:1], held.id)
    question_state.release_all([held.id])
    question_state.mark_answered(held.questions[1:], held.id)
    assert rows(waiting) == [(ANSWERED, None), (ANSWERED, None), (OPEN, None)]


@pytest.mark.parametrize("move", [question_state.mark_answered, question_state.lend])
def test_questions_others_hold_or_that_are_answered_are_not_moved(
    waiting: Project, held: Assignment, move: Any
) -> None:
    other, before = lease(waiting, worker(waiting, "bob"), ASK), rows(waiting)
    with pytest.raises(StateMovedError):
        move(held.questions, other.id)
    assert rows(waiting) == before
    question_state.mark_answered(held.questions[:1], held.id)
    with pytest.raises(StateMovedError):
        move(held.questions[:1], held.id)


def test_what_stood_behind_verification_questions_is_freed_with_the_rest(waiting: Project, held: Assignment) -> None:
    first, *behind = waiting.questions.order_by("id").values_list("id", flat=True)
    question_state.lend([first, *behind], held.id)
    question_state.lend([first], held.id, free=behind)
    assert rows(waiting) == [(OPEN, held.id), (OPEN, None), (OPEN, None)]
    question_state.lend(behind, held.id)
    question_state.mark_answered([first], held.id, free=behind)
    assert rows(waiting) == [(ANSWERED, None), (OPEN, None), (OPEN, None)]


def test_released_questions_are_free_those_of_others_stay_and_of_an_accepted_batch_wait_to_be_folded(waiting, held):
    other = lease(waiting, worker(waiting, "bob"), ASK)
    question_state.release_questions([*held.questions, *other.questions], held.id)
    assert rows(waiting) == [(OPEN, None), (OPEN, None), (OPEN, other.id)]
    question_state.mark_lent_answered([other.id])
    assert rows(waiting) == [(OPEN, None), (OPEN, None), (ANSWERED, None)]


def test_questions_of_a_refused_batch_are_not_asked_of_the_same_worker_again(waiting: Project, held: Assignment):
    assert question_state.release_to_others([held.id], held.worker_id) == 2
    skips = waiting.questions.order_by("id").values_list("skipped", "skipped_count", "assignment")
    assert list(skips) == [([held.worker_id], 1, None), ([held.worker_id], 1, None), ([], 0, None)]
    assert question_state.release_to_others([held.id], held.worker_id) == 0


def test_a_question_is_closed_only_from_the_state_it_was_read_in(waiting: Project, held: Assignment) -> None:
    question = Question.objects.get(id=held.questions[0])
    row = Closing(question.image_id, question.number, "no box required")
    with pytest.raises(StateMovedError):
        question_state.close([row], QuestionState.ANSWERED)
    question_state.close([row], QuestionState.OPEN)
    question.refresh_from_db()
    assert (question.state, question.outcome, question.assignment) == (CLOSED, "no box required", None)


def test_a_question_is_opened_again_only_if_it_is_answered(waiting: Project, held: Assignment) -> None:
    question = Question.objects.get(id=held.questions[0])
    row = Reopening(question.image_id, question.number, (4, 7), {"mentions": []})
    with pytest.raises(StateMovedError):
        question_state.open_again([row])
    question_state.mark_answered([question.id], held.id)
    question_state.open_again([row])
    question.refresh_from_db()
    wanted: tuple[Any, ...] = (OPEN, [4, 7], 2, {"mentions": []})
    assert (question.state, question.barred, question.barred_count, question.shown) == wanted


def test_each_row_gets_its_own_values_unless_the_condition_leaves_it_out(django_assert_num_queries) -> None:
    project_of(*(phrases("animals: a dog", name=str(number)) for number in range(3)))
    first, second, third = Image.objects.order_by("id")
    changed = update_many(Image, ["id"], ["width", "name"], [(first.id, 7, "a"), (third.id, 9, "it's")])
    rows = list(Image.objects.order_by("id").values_list("width", "name"))
    assert (changed, rows) == (2, [(7, "a"), (second.width, "1"), (9, "it's")])
    assert update_many(Image, ["id"], ["width"], [(first.id, 8)], only="t.width > 1000") == 0
    assert Image.objects.get(id=first.id).width == 7
    with django_assert_num_queries(0):
        assert update_many(Image, ["id"], ["width"], []) == 0


def test_rows_that_the_condition_leaves_out_are_not_inserted() -> None:
    project = project_of()
    fields = [field for field in Image._meta.fields if not field.primary_key]
    kept = Image(project=project, name="kept", position=1, width=1, height=1)
    left = Image(project=project, name="left", position=2, width=1, height=1)
    rows = [[getattr(one, field.attname) for field in fields] for one in (kept, left)]
    names = [field.name for field in fields]
    insert_many(Image, names, rows, only=f"v.column1 IS NOT NULL AND v.column{names.index('position') + 1} < 2")
    assert list(Image.objects.values_list("name", flat=True)) == ["kept"]


def test_more_rows_than_one_statement_takes() -> None:
    project, count = project_of(), ROWS_PER_STATEMENT + 3
    Image.objects.bulk_create(Image(project=project, name=str(n), position=n, width=1, height=1) for n in range(count))
    ids = Image.objects.order_by("position").values_list("id", flat=True)
    rows = [(image, number + 5) for number, image in enumerate(ids)]
    assert update_many(Image, ["id"], ["width"], rows) == count
    assert list(Image.objects.order_by("position").values_list("width", flat=True)) == [n + 5 for n in range(count)]
