"""Health checks: /healthz while the process runs, /readyz while it can do its work."""

from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from redis.exceptions import RedisError


def check_database() -> str:
    """Return "ok", or what is wrong with the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return f"no answer ({type(error).__name__})"
    return f"{len(missing)} migrations are not applied: run 'manage.py migrate'" if missing else "ok"


def check_redis() -> str:
    """Return "ok", "not used", or what is wrong with Redis."""
    if not settings.REDIS_URL:
        return "not used"
    try:
        cache.get("readyz")
    except (RedisError, OSError) as error:
        return f"no answer ({type(error).__name__})"
    return "ok"


def ready() -> HttpResponse:
    """Return the state of each part, with status 200 if all of them work and 503 otherwise."""
    parts = {"database": check_database(), "redis": check_redis()}
    works = all(state in ("ok", "not used") for state in parts.values())
    return JsonResponse(parts, status=200 if works else 503)


class HealthMiddleware:
    """Answers health checks before the checks of host name and HTTPS, which a request from this machine would fail."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == "/healthz":
            return HttpResponse("ok\n", content_type="text/plain")
        if request.path_info == "/readyz":
            return ready()
        return self.get_response(request)
