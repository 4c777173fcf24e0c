from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.keep_lease import keep_lease
from pipeline.errors import NoSuchAssignmentError, NotYoursError
from pipeline.models import Assignment, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.trusting import given_to, hand_in, kennel

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
        first = given_to(project, ada)
        for _ in range(3):
            return_assignment(assignment_id=first.id, worker_id=ada.id)
            again = given_to(project, ada)
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
        first = given_to(project, who)
        return_assignment(assignment_id=first.id, worker_id=who.id)
        gone = {*first.questions[::2], *first.spare[::2]}
        Question.objects.filter(id__in=gone).update(barred=[who.id], barred_count=1)
        again = given_to(project, who)
        assert again.known.keys() == first.known.keys(), "places stay"
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
    first = given_to(project, ada)
    assert first.known
    expire_assignments(now=first.expires_at)
    Question.objects.filter(id=first.questions[0]).update(barred=[ada.id], barred_count=1)
    again = given_to(project, ada, now=first.expires_at + timedelta(minutes=1))
    assert again.id != first.id
    assert again.known.keys() == first.known.keys()


@pytest.fixture
def held() -> Assignment:
    project = project_of(phrases("people: a man", "people: a boy", "people: two men"))
    return lease(project, worker(project, "ada"), Task.COREFERENCE_LINK)


def keep(held: Assignment, draft: object = None, *, after: timedelta = timedelta(0)) -> tuple[Assignment, list[str]]:
    """Keep the lease so long after it began. Returns the assignment, and the statements that it took."""
    with CaptureQueriesContext(connection) as seen:
        kept = keep_lease(token=held.token, worker_id=held.worker_id, draft=draft, now=held.created_at + after)
    row = Assignment.objects.get(id=held.id)
    assert (kept.state, kept.expires_at) == (row.state, row.expires_at)
    return row, [one["sql"].split()[0] for one in seen.captured_queries]


def test_a_draft_each_ten_seconds_takes_one_statement(held: Assignment) -> None:
    row, statements = keep(held, {"entries": [1]}, after=timedelta(seconds=10))
    assert (row.draft, statements) == ({"entries": [1]}, ["UPDATE"])


def test_a_draft_that_is_stored_already_is_not_written_again(held: Assignment) -> None:
    keep(held, {"entries": [1, None]})
    row, statements = keep(held, {"entries": [1, None]}, after=timedelta(seconds=10))
    # The guarded UPDATE matches no row, so the lease is only read.
    assert (row.draft, statements) == ({"entries": [1, None]}, ["UPDATE", "SELECT"])


def test_work_extends_the_lease_once_that_gains_a_twentieth(held: Assignment) -> None:
    row, _ = keep(held, [1], after=timedelta(seconds=80))
    assert row.expires_at == held.expires_at
    row, statements = keep(held, [2], after=timedelta(seconds=90))
    assert row.expires_at == held.expires_at + timedelta(seconds=90)
    assert (row.draft, statements) == ([2], ["UPDATE", "UPDATE"])
    row, statements = keep(held, after=timedelta(seconds=300))
    assert row.expires_at == held.expires_at + timedelta(seconds=300)
    assert statements == ["SELECT", "UPDATE"]


def test_the_last_seconds_of_the_longest_lease_are_given(held: Assignment) -> None:
    most = held.created_at + timedelta(minutes=120)
    Assignment.objects.update(expires_at=most - timedelta(seconds=1))
    row, _ = keep(held, after=timedelta(minutes=110))
    assert row.expires_at == most
    assert keep(held, after=timedelta(minutes=111))[1] == ["SELECT"]


def test_a_lease_that_has_run_out_is_not_extended_but_its_draft_is_stored(held: Assignment) -> None:
    row, _ = keep(held, [1], after=timedelta(minutes=31))
    assert (row.draft, row.expires_at) == ([1], held.expires_at)


def test_a_draft_that_comes_after_the_answers_changes_nothing(held: Assignment) -> None:
    submit(held, "same", "same")
    row, _ = keep(held, [1], after=timedelta(minutes=5))
    assert (row.state, row.draft, row.expires_at) == ("submitted", None, held.expires_at)


@pytest.mark.parametrize("draft", [None, [1]])
def test_nobody_keeps_the_assignment_of_another(held: Assignment, draft: object) -> None:
    now: datetime = timezone.now()
    with pytest.raises(NotYoursError):
        keep_lease(token=held.token, worker_id=held.worker_id + 1, draft=draft, now=now)
    with pytest.raises(NoSuchAssignmentError):
        keep_lease(token=uuid4(), worker_id=held.worker_id, draft=draft, now=now)
    assert Assignment.objects.get().draft is None
