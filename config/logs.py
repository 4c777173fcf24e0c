"""The log: one id for each request, kept by the jobs that it starts, and statements that take too long."""

import contextvars
import logging
import re
import time
from collections.abc import Callable
from secrets import token_hex
from typing import Any

from celery import signals
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest, HttpResponseBase

from runtime.inside_django import wrap_statements

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
WITH_OFFSET = "%Y-%m-%dT%H:%M:%S%z"
STATEMENT_LENGTH = 1000
"""The first characters of a slow statement that are logged. Its values are not: they may be personal."""
request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")

logger = logging.getLogger(__name__)


class RequestIdMiddleware:
    """Gives each request an id: the one that the proxy sent, if it is well-formed. The response carries the id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        name = given if WELL_FORMED.fullmatch(given) else token_hex(8)
        before = request_id.set(name)
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(before)
        response[HEADER] = name
        return response


class RequestIdFilter(logging.Filter):
    """Adds the id of the request or job to each log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class OneLineFormatter(logging.Formatter):
    """Writes a message into one line, so that no text of a visitor looks like a line of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return super().formatMessage(record).replace("\r", "\\r").replace("\n", "\\n")


@signals.before_task_publish.connect
def _send_along(headers: dict[str, Any], **_: Any) -> None:
    """Send the id of this request with the job that it starts."""
    if request_id.get() != "-":
        headers["request_id"] = request_id.get()


@signals.task_prerun.connect
def _take_over(task: Any, task_id: str, **_: Any) -> None:
    """Log under the id of the request that started the job; under the job's own id if the clock started it."""
    if not task.request.is_eager:
        request_id.set(getattr(task.request, "request_id", None) or task_id)


@signals.task_postrun.connect
def _end(task: Any, **_: Any) -> None:
    if not task.request.is_eager:
        request_id.set("-")


def log_slow(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
    """Execute the statement, and log it if it takes SLOW_STATEMENT_SECONDS or longer."""
    begin = time.perf_counter()
    try:
        return execute(sql, *rest)
    finally:
        seconds = time.perf_counter() - begin
        if seconds >= settings.SLOW_STATEMENT_SECONDS:
            text = " ".join(str(sql).split())[:STATEMENT_LENGTH]
            logger.warning("A statement took %.2f s: %s", seconds, text)


def watch_statements(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Let `log_slow` see every statement of the connection."""
    wrap_statements(connection, log_slow)


def watch_every_connection() -> None:
    """Watch the statements of each connection from now on, unless SLOW_STATEMENT_SECONDS is 0."""
    if settings.SLOW_STATEMENT_SECONDS:
        connection_created.connect(watch_statements, dispatch_uid="slow statements")


def log_settings(log_format: str, level: str, *, event_lines: bool) -> dict[str, Any]:
    """Return Django's LOGGING: readable lines, or one JSON object a line.

    `event_lines`: the events of the log of events are lines, too, besides rows.
    """
    event_level = "INFO" if event_lines else "WARNING"
    formatters: dict[str, dict[str, Any]] = {
        "plain": {
            "class": "config.logs.OneLineFormatter",
            "format": "{asctime} {levelname} {name} [{request_id}]: {message}",
            "style": "{",
            "datefmt": WITH_OFFSET,
        },
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": "%(asctime)s %(levelname)s %(name)s %(request_id)s %(message)s",
            "datefmt": WITH_OFFSET,
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
        },
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": "config.logs.RequestIdFilter"}},
        "formatters": formatters,
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": log_format, "filters": ["request_id"]},
            "events": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["request_id"]},
        },
        "root": {"handlers": ["console"], "level": level},
        # Django's own console handler is silent outside DEBUG; the root handler writes each warning once.
        "loggers": {
            # The event log: lines of JSON, whatever the form and level of the others.
            "accounts.events": {"handlers": ["events"], "level": event_level, "propagate": False},
            "django": {"handlers": [], "level": "WARNING", "propagate": True},
            # Refusals (400 to 404) are ordinary responses; only errors of the service are logged.
            "django.request": {"level": "ERROR"},
            # Anyone can send a wrong host name. The response is 400, without a traceback in the log.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
    }
