"""The moves of a question's state and lease, only from where it was read; and rows written in bulk."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.models import Image, Project
from pipeline.errors import StateMovedError
from pipeline.models import Assignment, Question
from pipeline.record import question_state
from pipeline.record.bulk_rows import ROWS_PER_STATEMENT, insert_many, update_many
from pipeline.record.question_state import Closing, Reopening
from pipeline.rules.tasks.task import QuestionState, Task
from tests.support.projects import lease, phrases, project_of, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT
OPEN, ANSWERED, CLOSED = (state.value for state in (QuestionState.OPEN, QuestionState.ANSWERED, QuestionState.CLOSED))


@pytest.fixture
def project() -> Project:
    return project_of(*(phrases("animals: a dog", name=name) for name in ("1", "2", "3")))


@pytest.fixture
def held(project: Project) -> Assignment:
    """Two of the three questions, lent to ada."""
    return lease(project, worker(project, "ada"), ASK, size=2)


def rows(project: Project) -> list[tuple[Any, ...]]:
    return list(project.questions.order_by("id").values_list("state", "assignment"))


def test_answered_questions_go_back_to_nobody(project: Project, held: Assignment) -> None:
    question_state.mark_answered(held.questions, held.id)
    assert rows(project) == [(ANSWERED, None), (ANSWERED, None), (OPEN, None)]


def test_a_question_that_nobody_holds_any_more_can_still_be_answered(project: Project, held: Assignment) -> None:
    question_state.release_all([held.id])
    question_state.mark_answered(held.questions, held.id)
    assert rows(project) == [(ANSWERED, None), (ANSWERED, None), (OPEN, None)]


@pytest.mark.parametrize("move", [question_state.mark_answered, question_state.lend])
def test_questions_that_another_worker_holds_are_not_moved(
    project: Project, held: Assignment, move: Callable[..., None]
) -> None:
    other = lease(project, worker(project, "bob"), ASK)
    before = rows(project)
    with pytest.raises(StateMovedError):
        move(held.questions, other.id)
    assert rows(project) == before


@pytest.mark.parametrize("move", [question_state.mark_answered, question_state.lend])
def test_answered_questions_are_not_moved_again(project: Project, held: Assignment, move: Callable[..., None]) -> None:
    question_state.mark_answered(held.questions[:1], held.id)
    with pytest.raises(StateMovedError):
        move(held.questions[:1], held.id)


def test_what_stood_behind_verification_questions_is_free_in_the_statement_that_keeps_or_answers_the_rest(
    project: Project, held: Assignment
) -> None:
    first, *behind = project.questions.order_by("id").values_list("id", flat=True)
    question_state.lend([first, *behind], held.id)
    question_state.lend([first], held.id, free=behind)
    assert rows(project) == [(OPEN, held.id), (OPEN, None), (OPEN, None)]
    question_state.lend(behind, held.id)
    question_state.mark_answered([first], held.id, free=behind)
    assert rows(project) == [(ANSWERED, None), (OPEN, None), (OPEN, None)]


def test_released_questions_are_free_and_those_of_others_stay(project: Project, held: Assignment) -> None:
    other = lease(project, worker(project, "bob"), ASK)
    everything = [*held.questions, *other.questions]
    question_state.release(everything, held.id)
    assert rows(project) == [(OPEN, None), (OPEN, None), (OPEN, other.id)]


def test_questions_of_a_refused_batch_are_not_asked_of_the_same_worker_again(
    project: Project, held: Assignment
) -> None:
    assert question_state.release_to_others([held.id], held.worker_id) == 2
    skips = project.questions.order_by("id").values_list("skipped", "skipped_count", "assignment")
    assert list(skips) == [([held.worker_id], 1, None), ([held.worker_id], 1, None), ([], 0, None)]
    assert question_state.release_to_others([held.id], held.worker_id) == 0


def test_the_answers_of_an_accepted_batch_wait_to_be_folded(project: Project, held: Assignment) -> None:
    question_state.mark_held_answered([held.id])
    assert rows(project) == [(ANSWERED, None), (ANSWERED, None), (OPEN, None)]


def test_a_question_is_closed_only_from_the_state_it_was_read_in(project: Project, held: Assignment) -> None:
    question = Question.objects.get(id=held.questions[0])
    row = Closing(question.image_id, question.number, "no box required")
    with pytest.raises(StateMovedError):
        question_state.close([row], QuestionState.ANSWERED)
    question_state.close([row], QuestionState.OPEN)
    question.refresh_from_db()
    assert (question.state, question.outcome, question.assignment) == (CLOSED, "no box required", None)


def test_a_question_is_opened_again_only_if_it_is_answered(project: Project, held: Assignment) -> None:
    question = Question.objects.get(id=held.questions[0])
    row = Reopening(question.image_id, question.number, (4, 7), {"mentions": []})
    with pytest.raises(StateMovedError):
        question_state.open_again([row])
    question_state.mark_answered([question.id], held.id)
    question_state.open_again([row])
    question.refresh_from_db()
    wanted: tuple[Any, ...] = (OPEN, [4, 7], 2, {"mentions": []})
    assert (question.state, question.barred, question.barred_count, question.shown) == wanted


def test_each_row_gets_its_own_values() -> None:
    project_of(*(phrases("animals: a dog", name=str(number)) for number in range(3)))
    first, second, third = Image.objects.order_by("id")
    changed = update_many(Image, ["id"], ["width", "name"], [(first.id, 7, "a"), (third.id, 9, "it's")])
    rows = list(Image.objects.order_by("id").values_list("width", "name"))
    assert (changed, rows) == (2, [(7, "a"), (second.width, "1"), (9, "it's")])


def test_rows_that_the_condition_leaves_out_are_not_counted() -> None:
    project_of(phrases("animals: a dog"))
    image = Image.objects.get()
    assert update_many(Image, ["id"], ["width"], [(image.id, 7)], only="t.width > 1000") == 0
    assert Image.objects.get().width == image.width


def test_rows_that_the_condition_leaves_out_are_not_inserted() -> None:
    project = project_of()
    fields = [field for field in Image._meta.fields if not field.primary_key]
    kept = Image(project=project, name="kept", position=1, width=1, height=1)
    left = Image(project=project, name="left", position=2, width=1, height=1)
    rows = [[getattr(one, field.attname) for field in fields] for one in (kept, left)]
    names = [field.name for field in fields]
    insert_many(Image, names, rows, only=f"v.column1 IS NOT NULL AND v.column{names.index('position') + 1} < 2")
    assert list(Image.objects.values_list("name", flat=True)) == ["kept"]


def test_no_rows_need_no_statement(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    with django_assert_num_queries(0):
        assert update_many(Image, ["id"], ["width"], []) == 0


def test_more_rows_than_one_statement_takes() -> None:
    project = project_of()
    count = ROWS_PER_STATEMENT + 3
    Image.objects.bulk_create(Image(project=project, name=str(n), position=n, width=1, height=1) for n in range(count))
    rows = [
        (image, number + 5)
        for number, image in enumerate(Image.objects.order_by("position").values_list("id", flat=True))
    ]
    assert update_many(Image, ["id"], ["width"], rows) == count
    assert list(Image.objects.order_by("position").values_list("width", flat=True)) == [n + 5 for n in range(count)]
