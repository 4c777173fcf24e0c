"""The moves of a question's state and lease: only from where it was read."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.models import Project
from pipeline.errors import StateMovedError
from pipeline.models import Assignment, Question
from pipeline.record import question_state
from pipeline.record.question_state import Closing, Reopening
from pipeline.rules.tasks.task import QuestionState, Task
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

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


@pytest.mark.both_engines
@pytest.mark.both_engines
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


@pytest.mark.both_engines
@pytest.mark.both_engines
def test_a_start_frees_what_submitted_work_holds_without_an_answer(project: Project, held: Assignment) -> None:
    submit(held, 1)
    Question.objects.filter(project=project).update(state=OPEN, assignment=held)
    assert question_state.release_unanswered() == 2
    assert rows(project) == [(OPEN, held.id), (OPEN, None), (OPEN, None)]


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


@pytest.mark.both_engines
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
