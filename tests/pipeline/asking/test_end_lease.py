from datetime import timedelta

import pytest

from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.errors import NotYoursError
from pipeline.models import Assignment, Question
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

ASK = Task.BOX_REQUIREMENT


def leased(count: int = 2):
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(count)))
    return project, lease(project, worker(project, "ada"), ASK)


def test_a_returned_assignment_frees_its_questions() -> None:
    project, assignment = leased()
    assert return_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id)
    assert Assignment.objects.get().state == "returned" and Assignment.objects.get().ended_at is not None
    assert lease(project, worker(project, "bob"), ASK).questions == assignment.questions


def test_returning_twice_is_harmless() -> None:
    project, assignment = leased()
    return_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id)
    other = lease(project, worker(project, "bob"), ASK)
    assert not return_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id)
    assert set(Question.objects.values_list("assignment_id", flat=True)) == {other.id}


def test_nobody_returns_the_assignment_of_another_worker() -> None:
    project, assignment = leased()
    with pytest.raises(NotYoursError):
        return_assignment(assignment_id=assignment.id, worker_id=worker(project, "bob").id)
    assert Assignment.objects.get().state == "active"


def test_expiry_opens_the_questions_again_and_keeps_the_row() -> None:
    project, assignment = leased()
    assert expire_assignments(now=assignment.expires_at - timedelta(seconds=1)) == 0
    assert expire_assignments(now=assignment.expires_at) == 1
    assert Assignment.objects.get().state == "expired"
    assert lease(project, worker(project, "bob"), ASK).questions == assignment.questions


def test_expiry_leaves_submitted_assignments_alone() -> None:
    _, assignment = leased()
    submit(assignment, 1, 1)
    assert expire_assignments(now=assignment.expires_at + timedelta(days=1)) == 0
    assert Assignment.objects.get().state == "submitted"
