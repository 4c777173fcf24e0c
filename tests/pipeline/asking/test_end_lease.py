from datetime import timedelta

import pytest

from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.errors import NotYoursError
from pipeline.models import Assignment, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.trusting import ask, hand_in, kennel

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

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


def test_three_returns_bring_no_assignment_without_a_verification_question() -> None:
    project = kennel(60, stock=40, settings=ProtocolSettings(test_questions=0, trusted_rate=0.2))
    ada = worker(project, "ada")
    for _ in range(4):
        first = ask(project, ada)
        assert first is not None
        for _ in range(3):
            return_assignment(assignment_id=first.id, worker_id=ada.id)
            again = ask(project, ada)
            assert again is not None
            assert (again.known, again.questions) == (first.known, first.questions)
            first = again
        hand_in(first)
    assert Assignment.objects.exclude(known={}).exists()


def test_what_outlasts_a_return_is_no_likelier_a_verification_question() -> None:
    """Others got some of the real questions meanwhile: a verification question goes with the one behind it."""
    project = kennel(80, stock=60, settings=ProtocolSettings(test_questions=0, trusted_rate=0.5))
    kept = exchanged = 0
    for number in range(8):
        who = worker(project, f"worker-{number}", ASK)
        first = ask(project, who)
        assert first is not None
        return_assignment(assignment_id=first.id, worker_id=who.id)
        gone = {*first.questions[::2], *first.spare[::2]}
        Question.objects.filter(id__in=gone).update(barred=[who.id], barred_count=1)
        again = ask(project, who)
        assert again is not None and again.known.keys() == first.known.keys(), "places stay"
        assert set(first.questions) - set(again.questions) == gone - set(first.spare)
        for behind, (place, known) in zip(first.spare, first.known.items(), strict=True):
            assert (again.known[place] == known) == (behind not in gone)
        kept, exchanged = kept + len(first.spare[1::2]), exchanged + len(first.spare[::2])
        return_assignment(assignment_id=again.id, worker_id=who.id)
        Question.objects.update(barred=[], barred_count=0)
    assert kept > 9 and exchanged > 9


def test_letting_the_time_run_out_is_no_way_to_fewer_tests() -> None:
    project = kennel(60, stock=40, settings=ProtocolSettings(test_questions=0, trusted_rate=0.5))
    ada = worker(project, "ada")
    first = ask(project, ada)
    assert first is not None and first.known
    expire_assignments(now=first.expires_at)
    Question.objects.filter(id=first.questions[0]).update(barred=[ada.id], barred_count=1)
    again = ask(project, ada, now=first.expires_at + timedelta(minutes=1))
    assert again is not None and again.id != first.id
    assert again.known.keys() == first.known.keys()
