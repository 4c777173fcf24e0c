"""Suggesting closed questions that trusted workers agreed on; only the requester adds them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.stock.promote_question import promote_question
from pipeline.stock.suggest_known import Suggestion, suggest_for_tasks, suggest_known
from tests.support.projects import answer, phrases, project_of, worker
from workers.change_trust import change_trust
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db
NEED = Task.BOX_REQUIREMENT


def voted(*votes: int, images: int = 1) -> Project:
    """Dogs of whom each of these workers in turn said this."""
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(images)))
    for number, vote in enumerate(votes):
        answer(project, worker(project, f"worker {number}"), NEED, *[vote] * images)
    return project


def suggested(project: Project, most: int = 10) -> list[Suggestion]:
    return suggest_known(project.id, NEED, most)


def test_a_question_that_two_workers_agreed_on_is_suggested() -> None:
    (one,) = suggested(voted(3, 3))
    assert (one.truth, one.agreed, one.question.image.name) == (3, 2, "0")
    assert not KnownQuestion.objects.exists()


def test_a_question_that_somebody_answered_otherwise_is_not() -> None:
    assert suggested(voted(3, 2)) == []
    assert Question.objects.get().state == "closed"


def test_a_question_that_is_not_settled_is_not() -> None:
    assert suggested(voted(3)) == []


def test_a_worker_who_is_not_trusted_now_does_not_count() -> None:
    project = voted(3, 3)
    lost = {"worker_id": worker(project, "worker 1").id, "project_id": project.id, "task": NEED.value}
    change_trust(**lost, event=TrustEvent.BAR, because="found out")  # type: ignore[arg-type]
    assert suggested(project) == []


def test_an_assignment_that_is_not_used_does_not_count() -> None:
    project = voted(3, 3)
    Assignment.objects.filter(worker__name="worker 1").update(acceptance=Assignment.Acceptance.REFUSED)
    assert suggested(project) == []


def test_questions_in_the_stock_are_not_suggested_again() -> None:
    project = voted(3, 3)
    promote_question(question_id=suggested(project)[0].question.id)
    assert suggested(project) == []


def test_no_more_than_asked_for_are_suggested() -> None:
    assert len(suggested(voted(3, 3, images=5), most=3)) == 3


def test_all_tasks_are_looked_at_in_one_statement_more_for_each() -> None:
    project, agree = voted(3, 3, images=3), dict.fromkeys(PROTOCOL_TASKS, 2)
    with CaptureQueriesContext(connection) as one:
        alone = suggest_for_tasks(project.pk, {NEED: 2}, 10)
    with CaptureQueriesContext(connection) as every:
        together = suggest_for_tasks(project.pk, agree, 10)
    assert together[NEED] == alone[NEED] == suggested(project)
    assert len(every) == len(one) + len(PROTOCOL_TASKS) - 1
    assert len(every) <= 13


def test_of_the_newest_closed_questions_only_so_many_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    project = voted(3, 3, images=4)
    newest = list(Question.objects.order_by("-id").values_list("id", flat=True))
    found = suggest_known(project.pk, NEED, 10, look_at=2)
    assert {one.question.pk for one in found} == set(newest[:2])
    monkeypatch.setattr("pipeline.stock.suggest_known.AMONG", 1)
    unanswered = Question.objects.get(pk=newest[0])
    unanswered.pk, unanswered.number = None, unanswered.number + 100
    unanswered.save()
    found = suggest_known(project.pk, NEED, 10, look_at=2)
    assert [one.question.pk for one in found] == [newest[0]], "no older one takes its place"
