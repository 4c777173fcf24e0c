"""The pages on which workers see, take out and delete what is theirs, and idle workers who are forgotten."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import RightKind
from annotation.models import Project
from labelling.jobs import forget_idle_workers_job
from labelling.own_data import forget_idle_workers
from pipeline.money.pay_worker import pay_worker
from tests.labelling.conftest import with_account
from tests.support.members import maker, with_rights
from tests.support.money import ASK, paying, work
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.recruiting import an_offer, comes
from workers.invitations import grant_access
from workers.models import Worker
from workers.tokens import make_page_token

pytestmark = pytest.mark.django_db

DELETE, ON_PLATFORM = "/work/my-data/delete/", "/work/my-data/platform/"
DAYS = 60
PASSWORD = "engine and loom"


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def ada(project: Project, client: Client) -> Worker:
    ada = with_account(worker(project, "ada"), password=PASSWORD)
    client.force_login(ada.user)  # type: ignore[arg-type]
    return ada


@pytest.mark.django_db(transaction=True)
def test_the_page_says_what_is_kept_and_for_how_long(project: Project, ada: Worker, client: Client) -> None:
    Project.objects.update(requester="Example University", kept_days=90)
    page = client.get("/work/my-data/").text
    assert "Example University" in page and "deleted once you have done nothing here for 90 days" in page


def confirm(client: Client) -> None:
    """Give the password once more, as before whatever cannot be undone."""
    client.post("/account/reauthenticate/", {"password": PASSWORD})


@pytest.mark.django_db(transaction=True)
def test_nothing_is_deleted_before_the_second_yes_and_the_password(ada: Worker, client: Client) -> None:
    assert "Nothing has been deleted yet." in client.get(DELETE).text
    asked = client.post(DELETE, {"sure": "on"})
    assert asked["Location"].startswith("/account/reauthenticate/?next=") and Worker.objects.get().closed_at is None
    client.post(asked["Location"], {"password": "wrong", "next": DELETE})
    assert Worker.objects.get().closed_at is None
    answer = client.post(asked["Location"], {"password": PASSWORD, "next": DELETE}, follow=True)
    assert "Your account was deleted." in answer.text and not User.objects.exists()
    tried = client.post("/account/login/", {"login": "ada", "password": PASSWORD})
    assert "The name or the password is wrong." in tried.text


@pytest.mark.django_db(transaction=True)
def test_the_password_alone_deletes_nothing(ada: Worker, client: Client) -> None:
    confirm(client)
    assert client.post(DELETE, {}).status_code == 200 and Worker.objects.get().closed_at is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_engines
def test_who_is_owed_money_is_warned_and_says_so_first(project: Project, ada: Worker, client: Client) -> None:
    work(project, ada)
    assert "You are still owed $0.10 in small." in client.get(DELETE).text
    confirm(client)
    sure = {"sure": "on"}
    assert client.post(DELETE, sure).status_code == 200
    assert client.post(DELETE, {**sure, "unpaid": "on"}).status_code == 302 and Worker.objects.get().closed_at


@pytest.mark.django_db(transaction=True)
def test_staff_read_that_their_account_stays(ada: Worker, client: Client) -> None:
    with_rights(User.objects.get(), RightKind.PROJECTS)
    page = client.get(DELETE).text
    assert "also manages projects" in page and "Delete for good" not in page
    confirm(client)
    client.post(DELETE, {"sure": "on"})
    assert Worker.objects.get().closed_at is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_engines
def test_a_worker_from_a_platform_does_the_same_by_the_token_of_the_page(project: Project) -> None:
    session, visitor = comes(an_offer(project)), Client(enforce_csrf_checks=True)
    who = {"bearer": make_page_token(session.worker_id, session.pk)}
    assert "your id on the platform" in visitor.post(ON_PLATFORM, who).text
    taken = json.loads(b"".join(visitor.post(ON_PLATFORM, {**who, "what": "file"})))  # type: ignore[arg-type]
    assert taken["platforms"] == [{"platform": "mturk", "external_id": "W1"}]
    assert "Nothing has been deleted yet." in visitor.post(ON_PLATFORM, {**who, "what": "ask", "sure": "on"}).text
    assert Worker.objects.get().closed_at is None
    assert "Deleted" in visitor.post(ON_PLATFORM, {**who, "what": "delete", "sure": "on"}).text
    assert Worker.objects.get().closed_at and visitor.post(ON_PLATFORM, who).status_code == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("bearer", ["", "made up", "of an account"])
def test_no_other_token_opens_the_page_of_a_platform(project: Project, bearer: str) -> None:
    made = make_page_token(worker(project, "ada").pk) if bearer == "of an account" else bearer
    assert Client().post(ON_PLATFORM, {"bearer": made}).status_code == 403


@pytest.fixture
def idle_ada() -> Worker:
    made = project_of(phrases("animals: a dog"))
    Project.objects.update(kept_days=DAYS)
    ada = worker(made, "ada")
    answer(made, ada, ASK, 1)
    return ada


def forgotten_after(days: float) -> int:
    return forget_idle_workers(now=timezone.now() + timedelta(days=days))


def test_a_worker_is_forgotten_when_the_projects_days_have_passed_since_the_last_answer(idle_ada: Worker) -> None:
    assert forgotten_after(DAYS - 1) == 0 and forgotten_after(DAYS + 1) == 1
    idle_ada.refresh_from_db()
    assert idle_ada.name == f"deleted worker {idle_ada.pk}" and forgotten_after(DAYS + 1) == 0


def test_a_project_that_keeps_accounts_keeps_those_who_work_elsewhere_too(idle_ada: Worker) -> None:
    grant_access(idle_ada, project_of(phrases("animals: a cat"), name="other").pk, [ASK.value])
    assert forgotten_after(DAYS + 1) == 0
    Project.objects.filter(name="other").update(kept_days=2 * DAYS)
    assert (forgotten_after(DAYS + 1), forgotten_after(2 * DAYS + 1)) == (0, 1)


def test_signing_in_counts_as_being_there(idle_ada: Worker) -> None:
    with_account(idle_ada, last_login=timezone.now() + timedelta(days=40))
    assert (forgotten_after(DAYS + 1), forgotten_after(DAYS + 41)) == (0, 1)


def test_members_and_programs_stay(idle_ada: Worker) -> None:
    idle_ada.user = maker("ada")
    idle_ada.save()
    grant_access(Worker.objects.create(name="model", kind=Worker.Kind.PROGRAM), Project.objects.get().pk, [ASK.value])
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


def test_the_job_forgets_nobody_who_is_here(idle_ada: Worker) -> None:
    forget_idle_workers_job()
    assert Worker.objects.get().closed_at is None
