"""Answers taken back: unresolved judgments are asked again, the others stay, and so does the pay."""

from typing import Any

import pytest

from annotation.models import Box, Image, Project
from pipeline.models import Assignment, Entry, Judgment, Question
from pipeline.money.ledger import account_of
from pipeline.money.write_entry import BadEntryError, NotSubmittedError
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.tick import tick
from pipeline.trust.void_answers import RejectedTestError, SoftRejection, soft_reject, void_unresolved
from tests.support.money import ASK, paying, work
from tests.support.projects import answer, box, lease, phrases, project_of, states, worker
from workers.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]
WHY: dict[str, Any] = {"reason": "always the same button", "actor": "requester"}
DRAW, GOOD = Task.BOX_DRAWING, Task.BOX_QUALITY


@pytest.fixture
def project() -> Project:
    return paying(4)


def reject(assignment: Assignment) -> SoftRejection:
    done = soft_reject(assignment_id=assignment.id, **WHY)
    assignment.refresh_from_db()
    return done


def test_votes_that_decided_nothing_are_asked_again_and_paid(project: Project, ada: Worker) -> None:
    done = work(project, ada)
    tick(project_id=project.id)
    assert reject(done) == SoftRejection(2, ())
    assert (done.acceptance, done.acceptance_reason, done.earned_cents) == ("refused", "always the same button", 10)
    assert account_of(ada.id, project.id).owed == 10 and states(project, ASK).count("open") == 4
    voidings = Entry.objects.filter(kind="void")
    assert set(voidings.values_list("actor", "reason")) == {("requester", "always the same button")}
    assert list(replay(project)) == []


def test_answers_that_had_not_acted_yet_are_taken_back_as_well(project: Project, ada: Worker) -> None:
    done = work(project, ada)
    assert not Entry.objects.filter(judgment__isnull=False).exists() and reject(done).repeated == 2
    tick(project_id=project.id)
    assert states(project, ASK).count("open") == 4 and list(replay(project)) == []


def test_judgments_with_consequences_stay_and_are_named_however_often_it_is_rejected(project: Project, ada: Worker):
    done = work(project, ada, 2)
    tick(project_id=project.id)
    answer(project, worker(project, "bob"), ASK, 3)  # the second vote for no box: it decides the first question
    resolved = Judgment.objects.get(assignment=done, question=done.questions[0])
    assert reject(done) == SoftRejection(1, (resolved.id,)) and list(replay(project)) == []
    again = soft_reject(assignment_id=done.id, reason="another reason", actor="requester")
    assert again == SoftRejection(0, (resolved.id,))
    done.refresh_from_db()
    assert done.acceptance_reason == "always the same button"
    assert not set(lease(project, ada, ASK).questions) & set(done.questions), "the same worker is not asked again"


def test_an_assignment_that_waits_for_its_batch_gives_its_questions_back(project: Project, ada: Worker) -> None:
    done = work(project, ada, 2)
    Assignment.objects.filter(id=done.id).update(acceptance="waiting")
    Question.objects.filter(id__in=done.questions).update(state="open", assignment=done)
    assert reject(done) == SoftRejection(2, ())
    freed = Question.objects.filter(id__in=done.questions)
    assert set(freed.values_list("state", "assignment", "skipped_count")) == {("open", None, 1)}
    tick(project_id=project.id)
    assert not Entry.objects.filter(judgment__isnull=False).exists()


@pytest.mark.slow
@pytest.mark.slow
def test_only_submitted_work_but_no_test_can_be_rejected_and_only_with_a_reason(project: Project, ada: Worker) -> None:
    held = lease(project, ada, ASK, size=1)
    with pytest.raises(NotSubmittedError, match="is active"):
        reject(held)
    done = work(project, worker(project, "bob"))
    with pytest.raises(BadEntryError, match="Give a reason"):
        soft_reject(assignment_id=done.id, reason="", actor="requester")
    done.refresh_from_db()
    assert done.acceptance == ""
    Assignment.objects.filter(id=done.id).update(kind="test")
    with pytest.raises(RejectedTestError):
        reject(done)


def void(project, who, task):
    return void_unresolved(worker_id=who.id, project_id=project.id, task=task, reason="trust lost", actor="requester")


def test_a_vote_that_decided_nothing_is_asked_again_of_somebody_else() -> None:
    project = project_of(*[phrases("animals: a dog", name=str(n)) for n in range(2)])
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, ASK, 3, 3)
    answer(project, bob, ASK, 3)  # decides the first of them: it is resolved
    assert void(project, ada, ASK) == 1 and states(project, ASK).count("open") == 1
    assert Question.objects.get(state="open", task=ASK.value).barred == [ada.id]
    assert void(project, ada, ASK) == 0 and Judgment.objects.count() == 3 and list(replay(project)) == []


def test_a_box_that_nobody_judged_yet_goes_and_is_drawn_again() -> None:
    project = project_of(phrases("people: a man", name="1"), phrases("people: a boy", name="2"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, DRAW, box(0, 0, 50, 50), box(10, 10, 60, 60))
    answer(project, bob, GOOD, "good")
    assert void(project, ada, DRAW) == 1
    assert sorted(Box.objects.values_list("state", flat=True)) == ["accepted", "discarded"]
    assert states(project, DRAW).count("open") == 1 and list(replay(project)) == []


def test_other_tasks_other_workers_and_finished_images_stay_as_they_are() -> None:
    project = project_of(phrases("animals: a dog", name="1"), phrases("animals: a cat", name="2"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, ASK, 3, 3)
    answer(project, bob, ASK, 3, 3)
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"}
    assert void(project, ada, ASK) == void(project, ada, DRAW) == void(project, bob, ASK) == 0
