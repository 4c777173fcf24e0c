"""Health checks, log lines, metrics and the alert rules that use them."""

import json
import logging
import re
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from celery import current_app
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config import doctor, health, metrics
from config.apps import start_sentry
from config.celery import app
from config.logs import RequestIdFilter, RequestIdMiddleware, request_id, watch_statements
from pipeline.jobs import schedule_links_job, tick_job
from pipeline.models import Assignment, Question
from pipeline.money.pay_worker import give_bonus
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from runtime import clock
from runtime.models import JobRun
from runtime.runs import note_finished
from tests.house.test_settings import shown_by_a_process, start
from tests.support.places import ROOT
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.services import PATIENCE, wait_until
from tests.support.table import row


@pytest.mark.django_db
def test_it_is_ready_when_every_migration_is_applied_and_not_while_one_is_missing(client: Client) -> None:
    tick_job()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (200, "ok")
    MigrationRecorder.Migration.objects.filter(app="sessions").latest("id").delete()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["migrations"] == "1 migrations are not applied: run 'manage.py migrate'"


@pytest.mark.django_db
@override_settings(
    REDIS_URL="redis://127.0.0.1:1/0",
    CACHES={"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}},
)
def test_it_is_not_ready_without_its_redis(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503 and answer.json()["redis"].startswith("no answer")


@pytest.mark.django_db
def test_it_is_not_ready_when_its_folder_cannot_be_written(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "gone"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["folder"] == f"{tmp_path}/gone cannot be written (No such file or directory)"


@pytest.mark.django_db
def test_a_service_is_not_ready_when_the_ticks_have_stopped(client: Client) -> None:
    tick_job()
    assert client.get("/readyz").json()["tick"] == "ok"
    JobRun.objects.filter(key="pipeline.tick").update(finished_at=timezone.now() - timedelta(minutes=20))
    answer = client.get("/readyz")
    assert answer.status_code == 503 and re.match(r"the last one ended 12\d\d s ago", answer.json()["tick"])
    tick_job()
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_a_process_waits_for_the_first_tick_for_as_long_as_for_a_late_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    JobRun.objects.filter(key="pipeline.tick").delete()
    patience = health.LATE_TICKS * settings.TICK_SECONDS
    monkeypatch.setattr(health, "BEGAN", time.monotonic())
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["tick"]) == (200, "none yet")
    monkeypatch.setattr(health, "BEGAN", time.monotonic() - patience - 1)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["tick"] == f"none in {patience + 1} s: look at the logs of beat and worker"


@pytest.mark.slow
@pytest.mark.services
def test_a_job_runs_in_the_worker_process(celery_worker_process: Path) -> None:
    job = tick_job.delay()
    done = f"{job.id}] succeeded"
    assert wait_until(lambda: done in celery_worker_process.read_text()), celery_worker_process.read_text()


@pytest.mark.services
@pytest.mark.django_db
def test_the_database_is_postgresql_and_the_service_is_ready(real_services: None, client: Client) -> None:
    tick_job()
    answer = client.get("/readyz")
    assert connection.vendor == "postgresql"
    parts = {"database": "ok", "migrations": "ok", "redis": "ok", "folder": "ok", "tick": "ok"}
    assert (answer.status_code, json.loads(answer.content)) == (200, parts)


GIVEN = "7f3a-given.by_proxy"


@pytest.mark.django_db  # the refusal is an event
@pytest.mark.parametrize("bad", ["", "short", "a" * 65, "with a blank", "<script>alert(1)</script>", "two\nlines"])
def test_the_response_carries_the_id_that_the_proxy_gave_or_one_of_its_own_if_it_is_not_well_formed(
    client: Client, bad: str
) -> None:
    def answered(given: str) -> str:
        return client.get("/metrics", headers={"x-request-id": given, "x-real-ip": "203.0.113.9"})["X-Request-ID"]

    assert answered(GIVEN) == GIVEN
    first, second = answered(bad), answered(bad)
    assert re.fullmatch(r"[0-9a-f]{16}", first) and first != second
    assert request_id.get() == "-", "none remains"


def test_what_a_request_logs_carries_its_id(caplog: pytest.LogCaptureFixture) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        logging.getLogger("a.view").warning("look here")
        return HttpResponse()

    caplog.handler.addFilter(RequestIdFilter())
    request = HttpRequest()
    request.META["HTTP_X_REQUEST_ID"] = GIVEN
    RequestIdMiddleware(view)(request)
    assert [record.request_id for record in caplog.records] == [GIVEN]  # type: ignore[attr-defined]


SEEN = """__import__('django').setup() or (c := __import__('django.db').db.connection).ensure_connection() or (
    [one.__name__ for one in c.execute_wrappers], 'sentry_sdk' in __import__('sys').modules,
    __import__('logging').getLogger('a.b').warning('look\\nhere'))"""
"""The watchers of the connection, whether Sentry is loaded, and a line in the log."""


@pytest.mark.slow
def test_a_process_watches_its_statements_shows_the_id_in_a_line_and_loads_no_sentry(tmp_path: Path) -> None:
    assert shown_by_a_process(SEEN, tmp_path) == "(['log_slow'], False, None)"
    done = start(SEEN, tmp_path)
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000 WARNING a\.b \[-\]: look\\nhere", line)


@pytest.mark.slow
def test_a_process_can_log_json_watch_nothing_and_load_sentry(tmp_path: Path) -> None:
    """JSON is one object a line."""
    sentry = "http://key@127.0.0.1:9/1"
    done = start(SEEN, tmp_path, LOG_FORMAT="JSON", SLOW_STATEMENT_SECONDS="0", SENTRY_DSN=sentry)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "([], True, None)"
    line = json.loads(done.stderr)
    expected = {"level": "WARNING", "logger": "a.b", "message": "look\nhere", "request_id": "-"}
    assert line == {**line, **expected} and line["time"].endswith("+0000")


@pytest.fixture
def watched(settings: Any) -> Iterator[Any]:
    before = list(connection.execute_wrappers)
    watch_statements(connection)
    yield settings
    connection.execute_wrappers[:] = before


@pytest.mark.django_db
def test_a_slow_statement_is_logged_without_its_values_and_a_fast_one_not(
    watched: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.cursor() as cursor:
        watched.SLOW_STATEMENT_SECONDS = 60
        cursor.execute("SELECT 1")
        assert not caplog.records
        watched.SLOW_STATEMENT_SECONDS = 1e-9
        cursor.execute("SELECT  %s", ["secret-of-somebody"])
    [record] = [record for record in caplog.records if record.name == "config.logs"]
    assert re.fullmatch(r"A statement took 0\.\d\d s: SELECT %s", record.getMessage())


@pytest.mark.filterwarnings("ignore:The send_default_pii option is deprecated")
def test_a_missing_or_wrong_sentry_is_one_sentence() -> None:
    with (
        mock.patch.dict("sys.modules", {"sentry_sdk": None}),
        pytest.raises(ImproperlyConfigured, match=r"\(run scripts/setup.sh sentry\)\. Or remove SENTRY_DSN\.$"),
    ):
        start_sentry("http://key@127.0.0.1:9/1")
    with pytest.raises(ImproperlyConfigured, match=r"^SENTRY_DSN is not an address of Sentry[^\n]*$"):
        start_sentry("nonsense")


@pytest.mark.slow
@pytest.mark.services
def test_the_id_of_a_request_is_in_the_log_of_the_job_that_it_started(celery_worker_process: Path) -> None:
    before = request_id.set(GIVEN)
    try:
        # No project has a number that is a word, so the job fails, and its failure is logged.
        app.send_task(schedule_links_job.name, args=["not-a-number"])
    finally:
        request_id.reset(before)
    assert wait_until(lambda: "not-a-number" in celery_worker_process.read_text())
    lines = [line for line in celery_worker_process.read_text().splitlines() if " ERROR " in line]
    assert any(f"[{GIVEN}]" in line for line in lines), lines


TOKEN = "only-for-tests-and-long-enough"
STATEMENTS = 12
"""The most statements for the metrics of one project."""


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    metrics.forget()
    yield
    metrics.forget()


def values(client: Client) -> dict[tuple[str, ...], float]:
    """Return the value of each metric by its name and its labels' values, in the order of the labels' names."""
    response = client.get("/metrics")
    assert response.status_code == 200, response.content
    families = text_string_to_metric_families(response.content.decode())
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


@pytest.mark.django_db
def test_it_reports_questions_leases_judgments_and_the_tick(client: Client) -> None:
    before = values(client).get(("chainbox_judgments_total",), 0)
    texts = ("people: a man", "people: a person")
    project = project_of(phrases(*texts, name="1"), phrases(*texts, name="2"))
    old = timezone.now() - timedelta(hours=2)
    Question.objects.filter(project=project).update(opened_at=old)
    ann, bob = worker(project, "ann"), worker(project, "bob")
    submit(lease(project, ann, Task.COREFERENCE_LINK, size=1), "same")
    lease(project, bob, Task.COREFERENCE_LINK, size=1)
    tick_job()
    metrics.forget()
    found = values(client)
    waiting = Question.objects.filter(project=project, task="coreference_link", state="open")
    assert found["chainbox_questions", "open", "coreference_link"] == waiting.count()
    assert (found["chainbox_questions", "open", "box_drawing"], found[("chainbox_leases",)]) == (0, 1)
    assert found[("chainbox_leases_overdue",)] == 0 and found[("chainbox_judgments_total",)] > before
    assert 0 <= found[("chainbox_last_tick_age_seconds",)] < PATIENCE
    Assignment.objects.filter(worker=bob).update(expires_at=old)
    metrics.forget()
    assert values(client)[("chainbox_leases_overdue",)] == 1


@pytest.mark.both_engines
@pytest.mark.django_db
def test_it_reports_the_age_of_the_oldest_question_of_each_task(client: Client) -> None:
    project = project_of(phrases("people: a man", "people: a person"))
    Question.objects.filter(project=project).update(opened_at=timezone.now() - timedelta(hours=2))
    metrics.forget()
    assert values(client)["chainbox_oldest_question_seconds", "coreference_link"] == pytest.approx(7200, abs=PATIENCE)


@pytest.mark.django_db
def test_it_reports_money_by_currency(client: Client) -> None:
    project = project_of(phrases("people: a man", "people: he"), settings=Settings(currency="EUR"))
    ann = worker(project, "ann")
    submit(lease(project, ann, Task.COREFERENCE_LINK, size=1), "same")
    give_bonus(worker_id=ann.id, project_id=project.id, cents=250, reason="thanks", actor="me")
    found = values(client)
    assert [found[f"chainbox_{name}_cents", "EUR"] for name in ("earned", "paid", "owed")] == [250, 0, 250]


@pytest.mark.django_db
def test_a_scrape_costs_few_statements_and_the_next_one_none(client: Client) -> None:
    project_of(phrases("people: a man", "people: a person"))
    with CaptureQueriesContext(connection) as first:
        values(client)
    assert len(first) <= STATEMENTS, [one["sql"] for one in first]
    with CaptureQueriesContext(connection) as second:
        values(client)
    assert len(second) == 0


@pytest.mark.django_db
def test_only_this_machine_and_programs_with_the_token_read_it(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="::ffff:127.0.0.1").status_code == 200
    for address in ("10.0.0.7", "2001:db8::1", ""):
        assert client.get("/metrics", REMOTE_ADDR=address).status_code == 403
    settings.METRICS_TOKEN = TOKEN
    far: dict[str, Any] = {"REMOTE_ADDR": "10.0.0.7"}
    assert client.get("/metrics", **far).status_code == 403
    assert client.get("/metrics", headers={"authorization": "Bearer no"}, **far).status_code == 403
    assert client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}, **far).status_code == 200


@pytest.mark.django_db
@override_settings(ALLOWED_HOSTS=["*", "chainbox.example.org"])
def test_a_page_in_a_browser_of_this_machine_reads_no_metrics_under_a_name_of_its_own(
    client: Client, settings: Any
) -> None:
    for host in ("localhost:8000", "127.0.0.1", "[::1]:8000", "chainbox.example.org"):
        assert client.get("/metrics", headers={"host": host}).status_code == 200
    for host in ("rebound.example", "evil@localhost", ""):
        assert client.get("/metrics", headers={"host": host}).status_code == 403
    settings.METRICS_TOKEN = TOKEN
    key = {"host": "web:8000", "authorization": f"Bearer {TOKEN}"}
    assert client.get("/metrics", headers=key).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
def test_no_browser_guesses_the_type_of_a_page_for_monitors(client: Client, path: str) -> None:
    for headers in ({}, {"x-real-ip": "203.0.113.9"}):
        assert client.get(path, headers=headers)["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db  # the refusal is an event
@pytest.mark.parametrize("header", ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip"])
def test_a_visitor_behind_the_proxy_of_this_machine_is_refused(client: Client, header: str) -> None:
    response = client.get("/metrics", headers={header: "203.0.113.9"})
    assert response.status_code == 403 and b"METRICS_TOKEN" in response.content


def test_a_dead_database_is_a_plain_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "exposition", mock.Mock(side_effect=OperationalError("gone")))
    response = client.get("/metrics")
    assert (response.status_code, response.content) == (503, b"The database gives no answer (OperationalError).\n")


@pytest.mark.django_db
def test_every_alert_rule_uses_metrics_that_exist_and_tells_what_to_do(client: Client) -> None:
    groups = yaml.safe_load((ROOT / "docs/how-to/alerts.yml").read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 5
    text = client.get("/metrics").content.decode()
    exported = set(re.findall(r"^# TYPE (\w+)", text, re.M))
    for rule in rules:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[smhd]", rule["for"]) and rule["labels"]["severity"] in ("page", "ticket")
        assert set(rule["annotations"]) == {"summary", "action"}
        named = set(re.findall(r"chainbox_\w+", rule["expr"]))
        assert named <= exported, rule["alert"]
        assert named or "up{" in rule["expr"]


@pytest.mark.services
def test_it_counts_the_jobs_that_wait_in_redis(client: Client, real_services: None, db: None) -> None:
    from redis import Redis

    from config.celery import app

    app.control.purge()
    with Redis.from_url(app.conf.broker_url) as broker:
        broker.rpush("celery", "one")
        broker.rpush("long", "two")
        try:
            found = values(client)
        finally:
            broker.delete("celery", "long")
    assert found["chainbox_jobs", "waiting"] == 2


@pytest.mark.django_db
def test_doctor_says_of_each_part_whether_it_works_and_ends_with_1_where_a_part_fails(
    settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    note_finished("pipeline.tick")
    call_command("doctor", "--json")
    states = {part["part"]: part["state"] for part in json.loads(capsys.readouterr().out)}
    assert {part for part, state in states.items() if state == "works"} >= {"database", "pictures", "clock", "links"}
    assert {part for part, state in states.items() if state == "off"} >= {"mail", "mturk", "prolific"}
    settings.DATA = tmp_path / "none"
    with pytest.raises(CommandError, match=r"These parts fail: .*data folder"):
        call_command("doctor")
    written = capsys.readouterr().out
    assert re.search(r"^fails  data folder: .*none cannot be written", written, re.M) and "works  database" in written


@row([{"one": {}}, {"two": {}}], "works", "3 jobs wait, 1 are at work; 2 runners answer.")
@row([], "fails", "3 jobs wait, 1 are at work; 0 runners answer.")
def test_the_row_of_the_queue_asks_the_runners(
    answers: list[Any], state: str, words: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://nowhere"
    monkeypatch.setattr(doctor, "queued_jobs", lambda: (3, 1))
    monkeypatch.setattr(current_app.control, "ping", lambda timeout: answers)
    assert doctor.check_queue() == (state, words)


def test_where_redis_is_away_its_own_row_fails_alone(settings: Any) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.REDIS_URL = settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{unused.getsockname()[1]}"
        assert doctor.CHECKS["redis"][0]()[0] == "fails"
        assert doctor.check_queue()[0] == "off"


@pytest.mark.django_db
def test_a_part_that_cannot_be_reached_is_named_with_its_cause(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", unused.getsockname()[1]
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        state, words = doctor.check_mail()
        assert state == "fails" and "refused" in words
    monkeypatch.setattr(clock, "now", lambda: timezone.now() + timedelta(minutes=1))
    state, words = doctor.check_clock()
    assert state == "fails" and "set both by a time server" in words


@pytest.mark.django_db
def test_the_page_of_the_service_is_for_administrators_names_proxies_that_differ_and_sends_a_mail(
    client: Client, admin_client: Client, settings: Any, mailoutbox: list[Any]
) -> None:
    assert client.get("/service/").status_code == 302
    page = admin_client.get("/service/").content.decode()
    assert "X-Forwarded-For names 0, and PROXIES is 0" in page and "Prolific is not set up" in page
    settings.PROXIES = 1
    assert re.search(r'proxies</th><td><span class="state s-fails">', admin_client.get("/service/").content.decode())
    sent = admin_client.post("/service/", follow=True).content.decode()
    assert f"A mail is on its way to {mailoutbox[0].to[0]}" in sent
