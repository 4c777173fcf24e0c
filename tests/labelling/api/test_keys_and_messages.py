"""Keys of programs, messages, examples and earned pay, and the API's schema."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from rest_framework.test import APIClient

from accounts.models import Role, Scope
from accounts.requester_tokens import make_requester_token
from annotation.models import Project
from config.wsgi import application
from labelling.api.payload import MOST_EXAMPLES, examples_of
from labelling.models import Conversation
from pipeline.known.known_answer import is_right_answer
from pipeline.models import Assignment, KnownQuestion, LedgerEntry
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from projects import runs
from projects.models import AlertChannel, Run
from projects.operations import OPERATIONS
from tests.labelling.conftest import with_account
from tests.support.api import ApiWorker
from tests.support.being_tested import BOX, WHY, being_tested
from tests.support.kept import Kept, kept_rows
from tests.support.members import member
from tests.support.places import ROOT
from tests.support.projects import lease, phrases, project_of, worker
from tests.support.rows import make_project, make_worker
from tests.support.runs import some_run
from tests.support.table import row
from tests.support.trusting import newcomer
from workers.change_trust import BY_HAND, change_trust, trust_of
from workers.invitations import grant_access
from workers.models import Access, ApiKey, Worker
from workers.rules.trust_states import Trust, TrustEvent, TrustState
from workers.tokens import find_worker, make_api_key, make_page_token, revoke_api_key

pytestmark = pytest.mark.django_db
MESSAGES, INBOX = "/api/v1/projects/parks/messages/", "/api/v1/requester/projects/parks/messages/"


def test_a_key_finds_its_worker() -> None:
    one, other = make_worker(), make_worker()
    keys = {make_api_key(one): one, make_api_key(one): one, make_api_key(other): other}
    assert {key: find_worker(key) for key in keys} == keys and len(keys) == 3


def test_the_key_itself_is_not_stored() -> None:
    key, row = make_api_key(make_worker()), ApiKey.objects.get()
    assert len(key) >= 40 and key.startswith(row.prefix) and key[8:] not in f"{row.prefix}{row.digest}"


@pytest.mark.parametrize("wrong", ["", "x", "{prefix}", "{key}x", "{key}\0", "\0", "\ud800", "{other}"], ids=ascii)
def test_anything_else_finds_nobody(wrong: str) -> None:
    key = make_api_key(make_worker())
    assert find_worker(wrong.format(key=key, prefix=key[:8], other=key[:8] + key[:7:-1])) is None


def test_looking_a_key_up_takes_one_query(django_assert_num_queries: Any) -> None:
    worker = make_worker()
    key = make_api_key(worker)
    with django_assert_num_queries(1):
        found = find_worker(key)
        assert found is not None and found.name == worker.name


def test_a_revoked_key_is_good_for_nothing_and_the_others_stay() -> None:
    worker = make_worker()
    first, second = make_api_key(worker), make_api_key(worker)
    row = ApiKey.objects.get(prefix=first[:8])
    assert revoke_api_key(row.pk) and not revoke_api_key(row.pk)
    assert (find_worker(first), find_worker(second)) == (None, worker)


def test_the_command_makes_a_program_and_prints_its_key_once(capsys: Any) -> None:
    project = make_project()
    for tasks in (["box_quality"], ["box_quality", "box_coverage"]):
        call_command("make_api_key", "model-1", project="parks", tasks=tasks)
    keys, worker = capsys.readouterr().out.split(), Worker.objects.get()
    assert (worker.name, worker.kind) == ("model-1", "program")
    assert [find_worker(key) for key in keys] == [worker, worker]
    accesses = Access.objects.filter(worker=worker, project_id=project.id).order_by("task")
    assert list(accesses.values_list("task", flat=True)) == ["box_coverage", "box_quality"]


def test_a_program_starts_with_the_qualification_test_and_the_command_tells_what_is_missing(capsys: Any) -> None:
    project = make_project()
    call_command("make_api_key", "model-1", project="parks", tasks=["box_quality"])
    assert trust_of(Worker.objects.get().id, project.id, "box_quality") == Trust(TrustState.INVITED)
    told = capsys.readouterr().err
    assert "The program has to qualify first." in told and "no verification questions" in told


@pytest.mark.both_engines
def test_a_program_that_is_trusted_by_name_works_at_once(capsys: Any) -> None:
    project = make_project()
    call_command("make_api_key", "model-1", project="parks", trusted=True)
    worker = Worker.objects.get()
    assert {trust_of(worker.id, project.id, task.value) for task in PROTOCOL_TASKS} == {BY_HAND}
    assert "qualify" not in capsys.readouterr().err


def test_a_program_that_was_invited_is_trusted_later_and_a_barred_one_is_not() -> None:
    project = make_project()
    call_command("make_api_key", "model-1", project="parks", tasks=["box_quality", "box_coverage"])
    worker = Worker.objects.get()
    place: dict[str, Any] = {"worker_id": worker.id, "project_id": project.id, "task": "box_coverage"}
    change_trust(**place, event=TrustEvent.BAR, because="wrong answers")
    call_command("make_api_key", "model-1", project="parks", trusted=True)
    states = [trust_of(worker.id, project.id, task).state for task in ("box_quality", "box_coverage", "box_drawing")]
    assert states == [TrustState.TRUSTED, TrustState.BARRED, TrustState.TRUSTED]


def test_the_command_does_not_turn_a_person_into_a_program() -> None:
    make_project()
    make_worker(name="ada")
    with pytest.raises(CommandError, match="'ada' is the name of a person worker"):
        call_command("make_api_key", "ada", project="parks")
    assert not ApiKey.objects.exists()


@pytest.mark.both_engines
def test_the_admin_revokes_a_key_and_changes_nothing_else(admin_client: Client) -> None:
    key, row = make_api_key(make_worker()), ApiKey.objects.get()
    assert admin_client.get(reverse("admin:workers_apikey_add")).status_code == 403
    page = reverse("admin:workers_apikey_changelist")
    assert row.prefix in admin_client.get(page).text
    admin_client.post(page, {"action": "revoke", "_selected_action": [row.pk]})
    assert find_worker(key) is None


@pytest.fixture
def project() -> Project:
    return make_project()


def api_of(project: Project, name: str) -> APIClient:
    worker: Worker = make_worker(name=name)
    grant_access(worker, project.pk, ["box_drawing"])
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {make_page_token(worker.pk, None)}")
    return client


@pytest.fixture
def ada(project: Project) -> APIClient:
    return api_of(project, "ada")


@pytest.mark.both_engines
def test_a_worker_writes_a_requester_answers_and_the_worker_reads(ada: APIClient, project: Project) -> None:
    boss = Client()
    boss.force_login(member(project, Role.REQUESTER, "boss"))
    asked = ada.post(MESSAGES, {"text": "Please look again.", "task": "box_drawing"}).json()
    assert (asked["subject"], asked["waits"]) == ("standing", True)
    (waiting,) = boss.get(INBOX, {"waiting": "true"}).json()
    assert (waiting["worker"], waiting["posts"][0]["text"]) == ("ada", "Please look again.")
    answer = f"/api/v1/requester/projects/parks/workers/{waiting['worker_id']}/messages/"
    sent = {"text": "We looked.", "conversation": asked["id"]}
    assert boss.post(answer, sent, "application/json").json() == {"sentence": "Sent."}
    assert boss.get(INBOX, {"waiting": "true"}).json() == []
    (read,) = ada.get(MESSAGES).json()
    assert [(post["answer"], post["text"], post["read"]) for post in read["posts"]] == [
        (False, "Please look again.", False),
        (True, "We looked.", False),
    ]
    assert "boss" not in str(read)
    seen = f"/api/v1/conversations/{asked['id']}/read/"
    assert [ada.post(seen).json(), ada.post(seen).json()] == [{"read": 1}, {"read": 0}]


@row({})
@row({"text": ""})
@row({"text": "x" * 2001})
@row({"text": "x", "task": "dancing"})
@row({"text": "x", "assignment": "7"})
@row({"text": "a\0b"})
def test_a_bad_message_is_refused_in_words(sent: dict[str, Any], ada: APIClient) -> None:
    refused = ada.post(MESSAGES, sent)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid") and not Conversation.objects.exists()


def test_the_eleventh_message_of_an_hour_is_throttled(ada: APIClient) -> None:
    assert [ada.post(MESSAGES, {"text": "x"}).status_code for _ in range(11)] == [*10 * [200], 429]
    assert ada.post(MESSAGES, {"text": "x"}).json()["code"] == "throttled"


def test_another_site_cannot_answer_in_the_name_of_a_requester(ada: APIClient, project: Project) -> None:
    asked = ada.post(MESSAGES, {"text": "Please look again."}).json()
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root"))
    answer = f"/api/v1/requester/projects/parks/workers/{Worker.objects.get(name='ada').pk}/messages/"
    sent = {"text": "x", "conversation": asked["id"]}
    assert client.post(answer, sent, "application/json").status_code == 403
    assert Conversation.objects.get().posts.count() == 1


@pytest.fixture
def example_project() -> Project:
    return being_tested(tests=1, stock=1)


@pytest.mark.parametrize("task", PROTOCOL_TASKS)
def test_an_example_is_a_question_with_an_answer_that_is_right_and_why(example_project: Project, task: Task) -> None:
    found = examples_of(example_project, task)
    truths = KnownQuestion.objects.filter(task=task.value, purpose="example").order_by("id")
    assert [one["explanation"] for one in found] == list(WHY)
    assert all(is_right_answer(task, row.truth, one["answer"]) for row, one in zip(truths, found, strict=True))
    asked = {"image", "language", "captions", "other_captions", "boxes", "new_box", "survey", "sweep"}
    assert {*found[0]} == asked | {"answer", "explanation", "missing"}


def test_a_box_to_draw_is_the_first_of_those_that_are_missing_and_each_of_them_is_right(example_project: Project):
    KnownQuestion.objects.filter(task="box_drawing", purpose="example").update(truth=[BOX, [1, 1, 5, 5]])
    example = examples_of(example_project, Task.BOX_DRAWING)[0]
    assert example["answer"] == {"box": BOX} and example["missing"] == [BOX, [1, 1, 5, 5]]


def test_examples_are_few_and_cost_three_statements(example_project: Project, django_assert_num_queries: Any) -> None:
    KnownQuestion.objects.filter(task="box_quality").update(retired_at=timezone.now())
    assert examples_of(example_project, Task.BOX_QUALITY) == []
    KnownQuestion.objects.update(task="box_coverage", purpose="example", retired_at=None)
    with django_assert_num_queries(3):
        assert len(examples_of(example_project, Task.BOX_COVERAGE)) == MOST_EXAMPLES


@pytest.mark.both_engines
def test_the_api_gives_them_to_who_may_do_the_task(client: Client, example_project: Project) -> None:
    ada = ApiWorker(client, newcomer(example_project, "ada", *PROTOCOL_TASKS))
    status, found = ada.call("GET", "projects/small/examples/?task=box_quality", None)
    assert status == 200 and [one["answer"] for one in found["questions"]] == ["good", "bad"]
    assert ada.call("GET", "projects/small/examples/?task=dancing", None)[0] == 400


class TestWhatIEarned:
    def test_says_what_is_owed_paid_and_refused_and_why(self, client: Client, example_project: Project) -> None:
        ada = newcomer(example_project, "ada", *PROTOCOL_TASKS)
        with_account(ada)
        client.force_login(ada.user)  # type: ignore[arg-type]
        assert "None yet." in client.get("/work/small/earned/").text
        now = timezone.now()
        times = {"created_at": now, "expires_at": now, "ended_at": now, "state": "submitted"}
        done = Assignment.objects.create(
            project=example_project, worker=ada, task="box_quality", questions=[], earned_cents=200, **times
        )
        place = {"worker": ada, "project_id": example_project.pk, "created_at": now}
        LedgerEntry.objects.create(
            kind="refused", cents=50, reason="one <button>", assignment_id=done.pk, actor="the boss", **place
        )
        LedgerEntry.objects.create(kind="paid", cents=100, reason="May", reference="bank-7", **place)
        text = client.get("/work/small/earned/").text
        assert "<b>$0.50</b> owed" in text and "<b>$1.00</b> paid" in text
        assert "Refused: check a box" in text and "one &lt;button&gt;" in text and "Reference bank-7" in text
        assert "the boss" not in text


EXAMPLES, FEW = 10, 3
"""Requests of each operation, and of one with neither body nor query, whose requests hardly differ."""
SCHEMA = ROOT / "frontend" / "schema.yml"
CALLS = [
    f"{method.upper()} {path}"
    for path, body in re.findall(r"^  (/.*):\n((?:    .*\n)+)", SCHEMA.read_text(), re.MULTILINE)
    for method in re.findall(r"^    (\w+):$", body, re.MULTILINE)
]
"""The method and path of each operation. To read the whole takes seconds, which only those spend who use it."""


@cache
def operations() -> dict[str, Any]:
    """Return the operations of the schema by method and path."""
    import schemathesis

    found = schemathesis.openapi.from_path(SCHEMA).get_all_operations()
    return {one.label: one for one in (result.ok() for result in found)}  # type: ignore[union-attr]


@cache
def checks() -> list[Any]:
    """Return the checks that each response must pass."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as of_schema

    conforming = (of_schema.status_code_conformance, of_schema.content_type_conformance)
    return [not_a_server_error, *conforming, of_schema.response_schema_conformance]


@pytest.mark.slow
def test_the_schema_that_the_pages_are_built_from_is_current_each_time_it_is_made(tmp_path: Path) -> None:
    made, kept = tmp_path / "schema.yml", SCHEMA.read_text()
    for first in (True, False):  # the generator writes into what it is given
        call_command("spectacular", file=str(made), validate=first, fail_on_warn=first)
        assert kept == made.read_text(), "run: .venv/bin/python manage.py spectacular --file frontend/schema.yml"


def test_the_schema_names_every_call() -> None:
    names = {operation.definition.raw["operationId"] for operation in operations().values()}
    assert list(operations()) == CALLS
    answering = {"tasks", "examples", "ask", "look", "keep", "save", "submit", "give_back", "report", "finish"}
    messages = {"messages", "write", "read_answers"}
    by_hand = {"votes", "changes", "export_file", "files", "upload_piece", "remove_files", "preferences", "prefer"}
    declared = {operation.name for operation in OPERATIONS if operation.path is not None}
    assert names == answering | messages | by_hand | declared


def make() -> None:
    """Make a project with all that the calls are about."""
    project = project_of(*[phrases("animals: a dog", "animals: a cat", name=str(n)) for n in range(15)])
    Conversation.objects.create(worker=worker(project, "ada"), project=project, subject="other")
    worker(project, "bob")
    some_run(project, state="done")
    Worker.objects.create(name="net-1", kind="program")
    place = {"url": "https://example.invalid/", "secret": "a key", "kinds": []}
    AlertChannel.objects.create(project=project, kind="hook", **place)


kept = kept_rows(make)
NO_ROWS = ("delivery", "signal", "invitation", "member", "question", "payment", "session")
"""Names in addresses of rows that the project has none of."""


@pytest.fixture
def _one_connection(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the connection after each request: to open another one takes as long as a request. Long work waits."""
    monkeypatch.setattr(runs, "in_background", lambda work: None)
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", None)


@pytest.mark.slow
@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize("call", CALLS)
def test_no_request_breaks_the_service_and_every_answer_is_as_described(kept: Kept, call: str) -> None:
    kept.write()
    operation = operations()[call]
    project, ada, asked = Project.objects.get(), Worker.objects.get(name="ada"), Conversation.objects.get()
    run, hook, bob = Run.objects.latest("pk"), AlertChannel.objects.get(), Worker.objects.get(name="bob")
    headers = {"Authorization": f"Bearer {make_page_token(ada.id)}"}
    if "/requester/" in operation.path:
        boss = member(project, Role.REQUESTER, "boss")
        headers = {"Authorization": f"Token {make_requester_token(boss, name='all', scopes=list(Scope))}"}

    # The checks read no compressed answer.
    headers["Accept-Encoding"] = "identity"

    # Whatever is found is shown as it is: making it smaller would take longer than all the rest.
    @settings(
        max_examples=EXAMPLES if operation.body or operation.query else FEW,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def requests(case: Any) -> None:
        held = lease(project, ada, Task.COREFERENCE_LINK)
        known = {"token": str(held.token), "project": project.name, "conversation": asked.pk}
        known |= {
            "export_format": "coco",
            "platform": "links",
            "record": "0-1",
            "run": run.pk,
            "channel": hook.pk,
            "worker": bob.pk,
        }
        known |= {"assignment": held.pk, "image": project.images.order_by("pk")[0].pk, **dict.fromkeys(NO_ROWS, 1)}
        case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
        case.validate_response(case.call(app=application, headers=headers), checks=checks())

    requests()
