"""Time and statements of a large project's pages, over Django's test client: without a network, with templates."""

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings

from annotation.models import Project
from members.add_member import add_member
from members.models import Role

PAGES = {
    "dashboard": "dashboard/",
    "live counts": "dashboard/live/",
    "images": "",
    "images, last page": "?page=999999",
    "images in boxing": "?state=boxing",
    "search, common word": "?words=shirt",
    "search, rare word": "?words=shirt+31",
    "review queue": "review/",
}
TRIES = 5
PLAIN_FILES = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
"""No hashes in names: a measurement needs no `collectstatic`."""


def measure_pages(project: Project, say: Callable[[str], None]) -> None:
    """Say the fastest and the slowest of five requests for each page, after a first one, and its statements."""
    with override_settings(ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | {"staticfiles": PLAIN_FILES}):
        _measure(project, say)


def _measure(project: Project, say: Callable[[str], None]) -> None:
    user, _ = User.objects.get_or_create(username="measurer")
    add_member(user, project, Role.REQUESTER)
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    for name, path in PAGES.items():
        address = f"/projects/{project.name}/{path}"
        times = []
        with CaptureQueriesContext(connection) as statements:
            found = client.get(address)
        asked = statements.captured_queries  # read now: the next request empties the log
        for _ in range(TRIES):
            begun = time.perf_counter()
            client.get(address)
            times.append(1000 * (time.perf_counter() - begun))
        slow = max((float(one["time"]) for one in asked), default=0.0)
        say(
            f"{name}: {min(times):.0f} to {max(times):.0f} ms, {len(asked)} statements, "
            f"the slowest {1000 * slow:.0f} ms, status {found.status_code}"
        )
        for one in asked:
            if float(one["time"]) > 0.05:
                say(f"    {1000 * float(one['time']):.0f} ms: {one['sql'][:400]}")
