"""Idle workers are forgotten when every project of theirs says so, and nobody else."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Project
from labelling.jobs import forget_idle_workers_job
from labelling.own_data.forget_worker import forget_idle_workers
from pipeline.money.pay_worker import pay_worker
from tests.labelling.conftest import with_account
from tests.support.members import maker
from tests.support.money import ASK, paying, work
from tests.support.projects import answer, phrases, project_of, worker
from workers.grant_access import grant_access
from workers.models import Worker

pytestmark = pytest.mark.django_db
DAYS = 60


@pytest.fixture
def project() -> Project:
    made = project_of(phrases("animals: a dog"))
    Project.objects.update(kept_days=DAYS)
    return made


@pytest.fixture
def ada(project: Project) -> Worker:
    ada = worker(project, "ada")
    answer(project, ada, ASK, 1)
    return ada


def forgotten_after(days: float) -> int:
    return forget_idle_workers(now=timezone.now() + timedelta(days=days))


def test_a_worker_is_forgotten_when_the_projects_days_have_passed_since_the_last_answer(ada: Worker) -> None:
    assert forgotten_after(DAYS - 1) == 0
    assert forgotten_after(DAYS + 1) == 1
    ada.refresh_from_db()
    assert ada.name == f"deleted worker {ada.pk}"
    assert forgotten_after(DAYS + 1) == 0


def test_a_project_that_keeps_accounts_keeps_those_who_work_elsewhere_too(ada: Worker) -> None:
    other = project_of(phrases("animals: a cat"), name="other")
    grant_access(ada, other.pk, [ASK.value])
    assert forgotten_after(DAYS + 1) == 0
    Project.objects.filter(name="other").update(kept_days=2 * DAYS)
    assert (forgotten_after(DAYS + 1), forgotten_after(2 * DAYS + 1)) == (0, 1)


def test_signing_in_counts_as_being_there(ada: Worker) -> None:
    with_account(ada, last_login=timezone.now() + timedelta(days=40))
    assert (forgotten_after(DAYS + 1), forgotten_after(DAYS + 41)) == (0, 1)


def test_members_and_programs_stay(ada: Worker) -> None:
    ada.user = maker("ada")
    ada.save()
    program = Worker.objects.create(name="model", kind=Worker.Kind.PROGRAM)
    grant_access(program, Project.objects.get().pk, [ASK.value])
    assert forgotten_after(10 * DAYS) == 0


@pytest.mark.both_engines
def test_who_is_owed_money_is_kept_until_it_is_paid() -> None:
    project = paying()
    Project.objects.update(kept_days=DAYS)
    ada = worker(project, "ada")
    work(project, ada)
    assert forgotten_after(DAYS + 1) == 0
    pay_worker(worker_id=ada.pk, project_id=project.pk, cents=10, reference="May", actor="boss")
    assert forgotten_after(DAYS + 1) == 1


def test_the_job_forgets_nobody_who_is_here(ada: Worker) -> None:
    forget_idle_workers_job()
    assert Worker.objects.get().closed_at is None
