"""Time and statements of a large project's pages, over Django's test client: without a network, with templates."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import override_settings

from accounts.add_member import add_member
from accounts.models import RightKind, Role
from accounts.rights import give_right
from annotation.models import Project
from projects.dashboard.figures.refresh import refresh_figures
from studies.http_load.measure import TICKS
from studies.large_project.pages import Page, pages_of

TRIES = 5
"""Requests after the first. None: the figures are those of the first."""
MOST_STATEMENTS, MOST_MS = 20, 300
"""The goal for each page."""
PLAIN_FILES = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
"""No hashes in names: a measurement needs no `collectstatic`."""
HEAD = f"{'page':<52}{'statements':>10}{'median ms':>10}{'first ms':>9}{'CPU ms':>8}{'rows':>9}"


@dataclass(slots=True)
class Statements:
    """The statements of a request: how many, and the rows that they returned or wrote."""

    count: int = 0
    rows: int = 0

    def run(self, execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        """Run a statement of the request; Django calls this."""
        found = execute(sql, params, *rest)
        if not sql.startswith(("SAVEPOINT", "RELEASE")):
            self.count += 1
            self.rows += max(rest[-1]["cursor"].rowcount, 0)
        return found


@dataclass(frozen=True, slots=True)
class Measured:
    """A page's figures. Milliseconds are of whole requests: the first with an empty cache, then the median of five.

    `cpu`: the median processor time of this process and of its PostgreSQL process, which a busy machine changes little.
    """

    page: Page
    status: int
    statements: Statements
    first: float
    median: float
    cpu: float

    @property
    def fault(self) -> str:
        """The goal that the page misses, in words; empty: none."""
        if self.status >= 400:
            return f"status {self.status}"
        if self.statements.count > MOST_STATEMENTS:
            return f"{self.statements.count} statements"
        return f"{self.median:.0f} ms" if self.median > MOST_MS else ""

    def __str__(self) -> str:
        fault = f"  MISSED: {self.fault}" if self.fault else ""
        figures = f"{self.statements.count:>10}{self.median:>10.0f}{self.first:>9.0f}{self.cpu:>8.0f}"
        figures += f"{self.statements.rows:>9,}"
        return f"{self.page.name:<52}{figures}{fault}"


@contextmanager
def measuring(project: Project) -> Iterator[Client]:
    """Sign in a requester of every project, who makes projects and enters the admin pages.

    Yields a client without hashed names.
    """
    with override_settings(ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | {"staticfiles": PLAIN_FILES}):
        user, _ = User.objects.get_or_create(username="measurer")
        for kind in (RightKind.ADMIN, RightKind.PROJECTS):
            give_right(user, kind, by=None)
        for object_ in Project.objects.all():
            add_member(user, object_, Role.REQUESTER)
        client = Client()
        client.force_login(User.objects.get(pk=user.pk))
        yield client


def measure_pages(project: Project, say: Callable[[str], None]) -> list[Measured]:
    """Say the figures of each page as a table."""
    begun = time.monotonic()
    refresh_figures(project.pk)
    say(f"The figures of the dashboard took {time.monotonic() - begun:.0f} s; they are computed in the background.")
    say(HEAD)
    found = []
    with measuring(project) as client:
        for page in pages_of(project):
            found.append(measure(client, page))
            say(str(found[-1]))
    return found


def measure(client: Client, page: Page) -> Measured:
    """Request a page with an empty cache, then TRIES times more. The statements are those of the first request."""

    def ask() -> Any:
        return client.get(page.address) if page.posts is None else client.post(page.address, page.posts)

    cache.clear()
    made = Statements()
    with connection.execute_wrapper(made.run):
        first = _timed(ask)
    tries = [_timed(ask) for _ in range(TRIES)] or [first]
    return Measured(
        page, first[1].status_code, made, first[0], median(one[0] for one in tries), median(one[2] for one in tries)
    )


def missed(found: Iterable[Measured]) -> list[str]:
    """Return the pages that miss a goal, with the goal."""
    return [f"{one.page.name}: {one.fault}" for one in found if one.fault]


def _timed(ask: Callable[[], Any]) -> tuple[float, Any, float]:
    """Return the milliseconds, the reply, and the milliseconds of processor time."""
    begun, before = time.perf_counter(), _cpu()
    reply = ask()
    getattr(reply, "content", None)
    return 1000 * (time.perf_counter() - begun), reply, 1000 * (_cpu() - before)


def _cpu() -> float:
    """Return the seconds of processor time so far. PostgreSQL's are known only on its own machine."""
    backend = Path(f"/proc/{connection.connection.info.backend_pid}/stat") if connection.connection else None
    own = time.process_time()
    if backend is None or connection.vendor != "postgresql" or not backend.exists():
        return own
    fields = backend.read_text().rpartition(")")[2].split()
    return own + sum(map(int, fields[11:13])) / TICKS
