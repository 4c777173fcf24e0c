"""Drafts and heartbeats: what they store, how long they extend the lease, and the number of statements."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pipeline.asking.keep_lease import keep_lease
from pipeline.errors import NoSuchAssignmentError, NotYoursError
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


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
