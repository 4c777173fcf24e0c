"""Addresses for monitors: /readyz (the process can do its work), and /metrics (for Prometheus).

/healthz (the process runs) is answered by the event loop: config/web_worker.py.
"""

import tempfile
import time
from collections.abc import Callable
from secrets import compare_digest

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from redis import Redis
from redis.exceptions import RedisError

from accounts.this_machine import is_from_this_machine
from runtime.inside_django import missing_migrations
from runtime.installed import COMMAND
from runtime.runs import seconds_since

LATE_TICKS = 10
"""The service is not ready once this many ticks in a row are missing."""
BEGAN = time.monotonic()
"""The moment at which this process began, or the process that it was forked from."""
LOOK = "look at the logs of beat and worker"
CLOSED = "Metrics are for this machine, or for programs that send METRICS_TOKEN (docs/how-to/operations.md).\n"


def check_database() -> str:
    """Return "ok", or what is wrong with the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"no answer ({type(error).__name__})"
    return "ok"


def check_migrations() -> str:
    """Return "ok", or how many migrations are missing."""
    try:
        missing = missing_migrations()
    except DatabaseError as error:
        return f"no answer ({type(error).__name__})"
    return f"{missing} migrations are not applied: run '{COMMAND} migrate'" if missing else "ok"


def check_redis() -> str:
    """Return "ok", "not used", or what is wrong with Redis."""
    if not settings.REDIS_URL:
        return "not used"
    try:
        with Redis.from_url(settings.REDIS_URL, **settings.REDIS_PATIENCE) as redis:  # the cache hides failures
            redis.ping()
    except (RedisError, OSError) as error:
        return f"no answer ({type(error).__name__})"
    return "ok"


def check_folder() -> str:
    """Return "ok", or why nothing can be written into the data folder."""
    try:
        with tempfile.TemporaryFile(dir=settings.DATA) as file:
            file.write(b"readyz")
            file.flush()
    except OSError as error:
        return f"{settings.DATA} cannot be written ({error.strerror})"
    return "ok"


def check_tick() -> str:
    """Return "ok", "none yet" while a new service may still wait for its first tick, or how late the tick is."""
    try:
        age = seconds_since("pipeline.tick")
    except DatabaseError as error:
        return f"no answer ({type(error).__name__})"
    patience = LATE_TICKS * settings.TICK_SECONDS
    if age is None:
        waited = time.monotonic() - BEGAN
        return "none yet" if waited <= patience else f"none in {waited:.0f} s: {LOOK}"
    return "ok" if age <= patience else f"the last one ended {age:.0f} s ago: {LOOK}"


def ready() -> HttpResponse:
    """Return the state of each part, with status 200 if all of them work and 503 otherwise."""
    parts = {
        "database": check_database(),
        "migrations": check_migrations(),
        "redis": check_redis(),
        "folder": check_folder(),
        "tick": check_tick(),
    }
    works = all(state in ("ok", "not used", "none yet") for state in parts.values())
    return JsonResponse(parts, status=200 if works else 503)


def may_read_metrics(request: HttpRequest) -> bool:
    """Tell whether the request carries METRICS_TOKEN, or comes from this machine itself."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    return is_from_this_machine(request)


def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics in Prometheus's text format, or refuse with status 403."""
    if not may_read_metrics(request):
        return HttpResponse(CLOSED, status=403, content_type="text/plain")
    from config.metrics import CONTENT_TYPE, exposition  # imported when needed: most processes are never scraped

    try:
        return HttpResponse(exposition(), content_type=CONTENT_TYPE)
    except DatabaseError as error:
        text = f"The database gives no answer ({type(error).__name__}).\n"
        return HttpResponse(text, status=503, content_type="text/plain")


class HealthMiddleware:
    """Answers monitors before the checks of host name and HTTPS, which a request from this machine would fail."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self._answer(request)
        if answer is None:
            return self.get_response(request)
        answer["X-Content-Type-Options"] = "nosniff"
        return answer

    def _answer(self, request: HttpRequest) -> HttpResponse | None:
        if request.path_info == "/readyz":
            return ready()
        return metrics(request) if request.path_info == "/metrics" else None
