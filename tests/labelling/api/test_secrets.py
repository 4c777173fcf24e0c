"""A page's token ends with what it stands for, and no error repeats a long value of its caller."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as Browser
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from labelling.models import SignIn
from pipeline.models import Assignment, Judgment
from pipeline.protocol.tasks.task import Task
from tests.labelling.conftest import with_account
from tests.support.api import ApiWorker
from tests.support.projects import phrases, project_of, worker
from workers.models import Access
from workers.tokens import make_api_key

pytestmark = pytest.mark.django_db(transaction=True)

ASK = Task.BOX_REQUIREMENT
ANSWERS = {"answers": [{"answer": 1}] * 4}
DIGITS = "1234567890" * 40


@pytest.fixture(autouse=True)
def built(settings: Any, tmp_path: Any) -> None:
    settings.FRONTEND = tmp_path
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "work.json").write_text('{"src/work.tsx": {"file": "work.js"}}')


@pytest.fixture
def browser(project: Project, client: Client) -> Client:
    client.force_login(with_account(worker(project, "ada"), password="engine and loom").user)  # type: ignore[arg-type]
    return client


def open_page(browser: Client) -> ApiWorker:
    bearer = browser.get(f"/work/small/{ASK.value}/").context["bearer"]
    row = User.objects.get().worker  # type: ignore[attr-defined]
    return ApiWorker(Client(), row, authorization=f"Bearer {bearer}")


def sign_out(browser: Client) -> None:
    browser.post("/account/logout/")


def new_password(browser: Client) -> None:
    user = User.objects.get()
    user.set_password("another one")
    user.save()


def close_account(browser: Client) -> None:
    User.objects.update(is_active=False)


def let_the_session_run_out(browser: Client) -> None:
    Browser.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def take_the_access_away(browser: Client) -> None:
    Access.objects.all().delete()


ENDS = [sign_out, new_password, close_account, let_the_session_run_out, take_the_access_away]


@pytest.mark.parametrize("end", ENDS)
def test_nothing_can_be_asked_saved_or_submitted_afterwards(browser: Client, end: Callable[[Client], None]) -> None:
    page = open_page(browser)
    held, before = page.ask(ASK), Assignment.objects.values().get()
    end(browser)
    refused = 403 if end is take_the_access_away else 401
    not_given = 401 if end not in (take_the_access_away, close_account) else 403
    report = {"question": 0, "what": "image"}
    calls = [
        page.call("POST", "projects/small/assignments/", {"task": ASK.value}), page.on(held, "heartbeat"),
        page.on(held, "draft", {"draft": [1]}, method="PUT"), page.on(held, "reports", report),
        page.on(held, "submit", ANSWERS),
    ]  # fmt: skip
    assert [status for status, _ in calls] == [not_given] + [refused] * 4
    assert {said["code"] for _, said in calls} <= {"signed_out", "no_access"}
    assert (Assignment.objects.values().get(), Judgment.objects.count()) == (before, 0)


@pytest.mark.parametrize("end", ENDS[:4])
def test_a_signed_out_page_reads_nothing_and_returns_nothing(browser: Client, end: Callable[[Client], None]) -> None:
    page = open_page(browser)
    held = page.ask(ASK)
    end(browser)
    calls = [
        page.call("GET", "projects/small/tasks/"), page.call("GET", f"projects/small/examples/?task={ASK.value}"),
        page.on(held, "", method="GET"), page.on(held, "return"),
    ]  # fmt: skip
    assert [status for status, _ in calls] == [401] * 4 and Assignment.objects.get().state == "active"


@pytest.mark.parametrize("end", ENDS)
def test_a_heartbeat_on_a_submitted_assignment_gives_no_token(browser: Client, end: Callable[[Client], None]) -> None:
    page = open_page(browser)
    held = page.ask(ASK)
    page.submit(held, 1, 1, 1, 1)
    assert page.on(held, "heartbeat")[1]["bearer"] is None
    end(browser)
    assert not page.on(held, "heartbeat")[1].get("bearer")


def test_a_lost_receipt_is_read_again_after_the_access_was_taken_away(browser: Client) -> None:
    page = open_page(browser)
    held = page.ask(ASK)
    page.submit(held, 1, 1, 1, 1)
    take_the_access_away(browser)
    assert page.on(held, "submit", ANSWERS)[1]["repeated"] is True


def test_a_page_in_another_browser_stays_when_one_signs_out(browser: Client) -> None:
    other = Client()
    other.force_login(User.objects.get())
    here, there = open_page(browser), open_page(other)
    sign_out(browser)
    assert here.call("GET", "projects/small/tasks/")[0] == 401 and there.call("GET", "projects/small/tasks/")[0] == 200
    open_page(other)
    assert SignIn.objects.count() == 2


def test_whoever_changed_the_password_goes_on_after_opening_the_page_again(browser: Client) -> None:
    old = open_page(browser)
    form = {"oldpassword": "engine and loom", "password1": "a loom engine", "password2": "a loom engine"}
    assert browser.post("/account/password/change/", form).status_code == 302
    assert old.call("GET", "projects/small/tasks/")[0] == 401
    assert open_page(browser).call("GET", "projects/small/tasks/")[0] == 200
    assert SignIn.objects.count() == 1, "those whose session is gone are forgotten"


def test_the_calls_of_a_working_page_need_no_statement_to_check_it(browser: Client, django_assert_max_num_queries: Any):
    page = open_page(browser)
    held = page.ask(ASK)
    with django_assert_max_num_queries(1):
        assert page.on(held, "draft", {"draft": [1]}, method="PUT")[1]["bearer"]


def test_a_program_gets_no_token_that_would_outlive_its_key(ada: ApiWorker) -> None:
    program = ApiWorker(Client(), ada.worker, authorization=f"Key {make_api_key(ada.worker)}")
    assert program.on(program.ask(ASK), "heartbeat")[1]["bearer"] is None


def test_the_key_of_a_closed_account_is_refused(ada: ApiWorker) -> None:
    program = ApiWorker(Client(), ada.worker, authorization=f"Key {make_api_key(ada.worker)}")
    with_account(ada.worker, is_active=False)
    assert program.call("GET", "projects/small/tasks/")[0] == 401


@pytest.fixture
def signed_in_ada(client: Client) -> ApiWorker:
    project: Project = project_of(phrases("other: a hat"))
    return ApiWorker(client, worker(project, "ada"))


def refused(ada: ApiWorker, path: str, body: str) -> str:
    """Send this text as it is, and return the message of the refusal."""
    headers = {"authorization": ada.authorization}
    response = ada.client.generic("POST", f"/api/v1/{path}", body, content_type="application/json", headers=headers)
    assert response.status_code == 400, response.content
    return str(response.json()["message"])


@pytest.mark.both_engines
@pytest.mark.parametrize("task", [f'"{DIGITS}"', DIGITS, f"{DIGITS}.5", f"[{DIGITS}.5]", f'"{"1 " * 400}"'])
def test_a_number_of_400_digits_is_not_repeated(signed_in_ada: ApiWorker, task: str) -> None:
    message = refused(signed_in_ada, "projects/small/assignments/", f'{{"task": {task}}}')
    assert message and DIGITS[:100] not in message and len(message) < 500


@pytest.mark.both_engines
def test_nor_in_an_answer_or_a_time(signed_in_ada: ApiWorker) -> None:
    token = signed_in_ada.ask(Task.BOX_REQUIREMENT)["token"]
    for reply in (f'{{"answer": "{DIGITS}"}}', f'{{"answer": 1, "seconds": {DIGITS}.5}}', f'{{"skip": "{DIGITS}"}}'):
        message = refused(signed_in_ada, f"assignments/{token}/submit/", f'{{"answers": [{reply}]}}')
        assert message and DIGITS[:100] not in message and len(message) < 500


@pytest.mark.both_engines
def test_nor_in_the_query_of_the_examples(signed_in_ada: ApiWorker) -> None:
    status, found = signed_in_ada.call("GET", f"projects/small/examples/?task={DIGITS}", None)
    assert status == 400 and DIGITS[:100] not in found["message"]


@pytest.mark.both_engines
def test_deeply_nested_json_is_refused_in_words(signed_in_ada: ApiWorker) -> None:
    for nested in ("[" * 100_000, "[" * 3000 + "]" * 3000, '{"task":' * 500 + "1" + "}" * 500):
        assert refused(signed_in_ada, "projects/small/assignments/", nested)
