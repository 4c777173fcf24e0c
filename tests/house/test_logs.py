"""Log lines: the id of the request, which follows into jobs; JSON; slow statements; Sentry if configured."""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client

from config.apps import start_sentry
from config.celery import app
from config.logs import RequestIdFilter, RequestIdMiddleware, log_settings, request_id, watch_statements
from pipeline.jobs import schedule_links_job
from tests.house.test_settings import shown_by_a_process, start
from tests.support.services import wait_until

GIVEN = "7f3a-given.by_proxy"


def test_the_response_carries_the_id_that_the_proxy_gave(client: Client) -> None:
    assert client.get("/healthz", headers={"x-request-id": GIVEN})["X-Request-ID"] == GIVEN


@pytest.mark.parametrize(
    "bad", ["", "short", "a" * 65, "has a blank in it", "<script>alert(1)</script>", "zeilen\numbruch"]
)
def test_an_id_that_is_not_well_formed_is_replaced(client: Client, bad: str) -> None:
    made = client.get("/healthz", headers={"x-request-id": bad})["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{16}", made)


def test_two_requests_have_two_ids_and_none_remains(client: Client) -> None:
    assert client.get("/healthz")["X-Request-ID"] != client.get("/healthz")["X-Request-ID"]
    assert request_id.get() == "-"


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


def test_a_process_watches_its_statements_and_loads_no_sentry(tmp_path: Path) -> None:
    assert shown_by_a_process(SEEN, tmp_path) == "(['log_slow'], False, None)"


def test_a_process_can_log_json_watch_nothing_and_load_sentry(tmp_path: Path) -> None:
    """JSON is one object a line."""
    sentry = "http://key@127.0.0.1:9/1"
    done = start(SEEN, tmp_path, LOG_FORMAT="JSON", SLOW_STATEMENT_SECONDS="0", SENTRY_DSN=sentry)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "([], True, None)"
    line = json.loads(done.stderr)
    assert {name: line[name] for name in ("level", "logger", "message", "request_id")} == {
        "level": "WARNING",
        "logger": "a.b",
        "message": "look\nhere",
        "request_id": "-",
    }
    assert "time" in line


def test_a_plain_line_shows_the_id() -> None:
    plain = log_settings("plain", "WARNING")["formatters"]["plain"]["format"]
    assert "[{request_id}]" in plain


@pytest.fixture
def watched(settings: Any) -> Iterator[Any]:
    before = list(connection.execute_wrappers)
    watch_statements(connection)
    yield settings
    connection.execute_wrappers[:] = before


@pytest.mark.django_db
def test_a_slow_statement_is_logged_without_its_values(watched: Any, caplog: pytest.LogCaptureFixture) -> None:
    watched.SLOW_STATEMENT_SECONDS = 1e-9
    with connection.cursor() as cursor:
        cursor.execute("SELECT  %s", ["secret-of-somebody"])
    [record] = [record for record in caplog.records if record.name == "config.logs"]
    assert re.fullmatch(r"A statement took 0\.\d\d s: SELECT %s", record.getMessage())


@pytest.mark.django_db
def test_a_fast_statement_is_not_logged(watched: Any, caplog: pytest.LogCaptureFixture) -> None:
    watched.SLOW_STATEMENT_SECONDS = 60
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert not caplog.records


@pytest.mark.filterwarnings("ignore:The send_default_pii option is deprecated")
def test_a_missing_or_wrong_sentry_is_one_sentence() -> None:
    with (
        mock.patch.dict("sys.modules", {"sentry_sdk": None}),
        pytest.raises(ImproperlyConfigured, match=r"run 'pip install sentry-sdk', or remove SENTRY_DSN\.$"),
    ):
        start_sentry("http://key@127.0.0.1:9/1")
    with pytest.raises(ImproperlyConfigured, match=r"^SENTRY_DSN is not an address of Sentry[^\n]*$"):
        start_sentry("nonsense")


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
